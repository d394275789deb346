package mqbridge.checks;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Message;

/**
 * Receives messages with Qpid JMS from one destination. Arguments: URL, user, password, destination, number of messages,
 * seconds.
 *
 * <p>For each message its lines in the form of {@link Described} and a line of one dot are printed. It ends after the number
 * of messages, or when none has come for so many seconds.
 */
final class QpidReader {
    private QpidReader() {}

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        long wait = 1000 * Long.parseLong(arguments[5]);
        try (JMSContext context = Qpid.context(arguments);
                JMSConsumer consumer = context.createConsumer(Qpid.destination(context, arguments[3]))) {
            for (int left = Integer.parseInt(arguments[4]); left > 0; left--) {
                Message message = consumer.receive(wait);
                if (message == null) {
                    return;
                }
                Described.lines(message).forEach(out::println);
                out.println(".");
            }
        }
    }
}
