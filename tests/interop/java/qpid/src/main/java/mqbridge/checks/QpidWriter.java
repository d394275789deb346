package mqbridge.checks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.jms.Destination;
import javax.jms.JMSContext;

/**
 * Sends messages with Qpid JMS to one destination. Arguments: URL, user, password, destination.
 *
 * <p>Messages are lines on standard input in the form of {@link Dictated}; a line of one dot ends each. When it is sent, its
 * lines in the form of {@link Described} and a dot are printed.
 */
final class QpidWriter {
    private QpidWriter() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (JMSContext context = Qpid.context(arguments)) {
            Destination to = Qpid.destination(context, arguments[3]);
            List<String> lines = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.equals(".")) {
                    lines.add(line);
                    continue;
                }
                Described.lines(Dictated.sent(context, text -> Qpid.destination(context, text), to, null, lines))
                        .forEach(out::println);
                out.println(".");
                lines.clear();
            }
        }
    }
}
