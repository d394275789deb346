package mqbridge.checks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * Whoever runs the queue manager, asked for what a client program cannot do.
 *
 * <p>A line {@code ask WHAT} on standard output is answered by one line on standard input: {@code done}, or what failed.
 */
final class Console {
    private static final BufferedReader ANSWERS =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private Console() {}

    /** An MQSC command. */
    static void mqsc(String command) throws IOException {
        ask("mqsc " + command);
    }

    static synchronized void ask(String what) throws IOException {
        System.out.println("ask " + what);
        System.out.flush();
        Expect.equal("done", ANSWERS.readLine());
    }
}
