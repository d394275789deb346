package mqbridge.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.jms.Destination;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Message;

/**
 * Sends and receives messages as it is told by lines on standard input, and says what the client library reads in them.
 *
 * <p>Arguments: host, port, channel, queue manager. Commands: {@code names}; {@code send URI NAME} sends a message of
 * {@link Specimens} and describes it; {@code receive URI}; {@code subscribe URI}, then {@code next URI}. An answer ends
 * with a line of one dot.
 */
final class MessageExchange extends JmsProgram {
    private final Map<String, JMSConsumer> subscriptions = new HashMap<>();

    private MessageExchange(Place place) {
        super(place);
    }

    public static void main(String[] arguments) throws Exception {
        Place place = new Place(arguments[0], Integer.parseInt(arguments[1]), arguments[2], arguments[3]);
        new MessageExchange(place).serve();
    }

    private void serve() throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (JMSContext context = context()) {
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                List<String> lines;
                try {
                    lines = answer(context, line.split(" "));
                } catch (Exception error) {
                    error.printStackTrace();
                    lines = List.of("failed\t" + error.getClass().getSimpleName() + "\t" + error.getMessage());
                }
                lines.forEach(System.out::println);
                System.out.println(".");
                System.out.flush();
            }
        }
    }

    private List<String> answer(JMSContext context, String[] words) throws Exception {
        switch (words[0]) {
            case "names":
                return Specimens.names();
            case "send":
                return Specimens.sent(context, destination(context, words[1]), words[2]);
            case "receive":
                try (JMSConsumer consumer = context.createConsumer(destination(context, words[1]))) {
                    return received(consumer);
                }
            case "subscribe":
                subscriptions.put(words[1], context.createConsumer(destination(context, words[1])));
                return List.of();
            case "next":
                return received(subscriptions.get(words[1]));
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private static List<String> received(JMSConsumer consumer) throws Exception {
        Message message = consumer.receive(PATIENCE);
        return message == null ? List.of("nothing") : Described.lines(message);
    }

    private static Destination destination(JMSContext context, String uri) {
        return uri.startsWith("topic:") ? context.createTopic(uri) : context.createQueue(uri);
    }
}
