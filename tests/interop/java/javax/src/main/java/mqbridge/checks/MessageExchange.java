package mqbridge.checks;

import java.util.function.Function;
import javax.jms.Destination;
import javax.jms.JMSContext;

/** A {@link Conversation} with IBM's classes for JMS. Arguments: host, port, channel, queue manager. Destinations are URIs. */
final class MessageExchange extends JmsProgram {
    private MessageExchange(Place place) {
        super(place);
    }

    public static void main(String[] arguments) throws Exception {
        Place place = new Place(arguments[0], Integer.parseInt(arguments[1]), arguments[2], arguments[3]);
        try (JMSContext context = new MessageExchange(place).context()) {
            Function<String, Destination> destinations =
                    uri -> uri.startsWith("topic:") ? context.createTopic(uri) : context.createQueue(uri);
            new Conversation(context, destinations).serve();
        }
    }
}
