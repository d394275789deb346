package mqbridge.checks;

import javax.jms.Destination;
import javax.jms.JMSContext;
import org.apache.qpid.jms.JmsConnectionFactory;

/** What the programs with Qpid JMS share: the connection, and destinations by name. */
final class Qpid {
    private static final String QUEUE = "queue://";
    private static final String TOPIC = "topic://";

    private Qpid() {}

    /** Connects by the first three arguments: URL ({@code amqp://HOST:PORT} with the options of Qpid JMS), user, password. */
    static JMSContext context(String[] arguments) {
        return new JmsConnectionFactory(arguments[1], arguments[2], arguments[0]).createContext();
    }

    /** {@code topic://NAME}, {@code queue://NAME}, or the name of a queue. */
    static Destination destination(JMSContext context, String text) {
        if (text.startsWith(TOPIC)) {
            return context.createTopic(text.substring(TOPIC.length()));
        }
        return context.createQueue(text.startsWith(QUEUE) ? text.substring(QUEUE.length()) : text);
    }
}
