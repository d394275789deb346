package mqbridge.checks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.jms.Destination;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.TemporaryQueue;

/**
 * Sends and receives messages as it is told by lines on standard input, and says what the client library has in them, in
 * the form of {@link Described}.
 *
 * <p>Commands; an answer ends with a line of one dot, and so do the lines of a message, in the form of {@link Dictated}:
 *
 * <ul>
 *   <li>{@code names}, {@code send DESTINATION NAME}: a message of {@link Specimens};
 *   <li>{@code write DESTINATION} and lines: the message that they say;
 *   <li>{@code receive DESTINATION}: one message; {@code nothing} when none has come in time;
 *   <li>{@code subscribe DESTINATION}, then {@code next DESTINATION};
 *   <li>{@code ask DESTINATION} and lines: a request whose reply goes to a temporary queue, then {@code answered} for the reply;
 *   <li>{@code answer message-id|correlation-id} and lines: a reply to the message that was received last, with that id of it.
 * </ul>
 */
final class Conversation {
    private static final long PATIENCE = 30_000;
    private static final String END = ".";

    private final JMSContext context;
    private final Function<String, Destination> destinations;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private final Map<String, JMSConsumer> consumers = new HashMap<>();
    private Message last;
    private TemporaryQueue replies;

    /** {@code destinations} makes one of the text that names it. */
    Conversation(JMSContext context, Function<String, Destination> destinations) {
        this.context = context;
        this.destinations = destinations;
    }

    /** Goes on to the end of standard input. */
    void serve() throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            List<String> answer;
            try {
                answer = answer(line.split(" "));
            } catch (Exception error) {
                error.printStackTrace();
                answer = List.of("failed\t" + error.getClass().getSimpleName() + "\t" + error.getMessage());
            }
            answer.forEach(out::println);
            out.println(END);
            out.flush();
        }
    }

    private List<String> answer(String[] words) throws Exception {
        switch (words[0]) {
            case "names":
                return Specimens.names();
            case "send":
                return Specimens.sent(context, destinations.apply(words[1]), words[2]);
            case "write":
                return written(destinations.apply(words[1]), null);
            case "receive":
                try (JMSConsumer consumer = context.createConsumer(destinations.apply(words[1]))) {
                    return received(consumer);
                }
            case "subscribe":
                consumers.put(words[1], context.createConsumer(destinations.apply(words[1])));
                return List.of();
            case "next":
                return received(consumers.get(words[1]));
            case "ask":
                replies = context.createTemporaryQueue();
                return written(destinations.apply(words[1]), replies);
            case "answered":
                try (JMSConsumer consumer = context.createConsumer(replies)) {
                    return received(consumer);
                } finally {
                    replies.delete();
                }
            case "answer":
                return replied(words[1].equals("message-id") ? last.getJMSMessageID() : last.getJMSCorrelationID());
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private List<String> written(Destination to, Destination replyTo) throws Exception {
        return Described.lines(Dictated.sent(context, destinations, to, replyTo, lines()));
    }

    private List<String> replied(String id) throws Exception {
        List<String> lines = lines();
        if (id != null) {
            lines.add("JMSCorrelationID\tstring\t" + id);
        }
        return Described.lines(Dictated.sent(context, destinations, last.getJMSReplyTo(), null, lines));
    }

    /** The lines of a message. */
    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = in.readLine(); line != null && !line.equals(END); line = in.readLine()) {
            lines.add(line);
        }
        return lines;
    }

    private List<String> received(JMSConsumer consumer) throws JMSException {
        last = consumer.receive(PATIENCE);
        return last == null ? List.of("nothing") : Described.lines(last);
    }
}
