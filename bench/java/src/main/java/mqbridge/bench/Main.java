package mqbridge.bench;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * Carries out rounds, one a line of its input: {@code WHAT QUEUE ARGUMENTS ...}; answers each with one line of JSON.
 * The peer is given once: {@code ibm HOST PORT CHANNEL}, {@code artemis HOST PORT}, {@code qpid HOST PORT} (AMQP 1.0) or
 * {@code rabbit HOST PORT}; inside TLS {@code ibm-tls HOST PORT CHANNEL
 * CIPHERSUITE} or {@code artemis-tls HOST PORT CIPHERSUITE}.
 */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        Rounds rounds = switch (arguments[0]) {
            case "ibm" -> new JmsRounds(Factories.ibm(arguments[1], Integer.parseInt(arguments[2]), arguments[3]));
            case "ibm-tls" -> new JmsRounds(
                Factories.ibm(arguments[1], Integer.parseInt(arguments[2]), arguments[3], arguments[4]));
            case "artemis" -> new JmsRounds(Factories.artemis(arguments[1], Integer.parseInt(arguments[2])));
            case "artemis-tls" -> new JmsRounds(
                Factories.artemis(arguments[1], Integer.parseInt(arguments[2]), arguments[3]));
            case "qpid" -> new JmsRounds(Factories.qpid(arguments[1], Integer.parseInt(arguments[2])));
            case "classes" -> new ClassesRounds(arguments[1], Integer.parseInt(arguments[2]), arguments[3]);
            case "rabbit" -> new RabbitRounds(arguments[1], Integer.parseInt(arguments[2]));
            default -> throw new IllegalArgumentException(arguments[0]);
        };
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        say("{\"ready\": true}");
        for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
            long processor = processor();
            String figures = rounds.run(line.split(" "));
            say(String.format(Locale.ROOT, "{\"cpu\": %.6f, %s}", (processor() - processor) / 1e9, figures));
        }
        System.exit(0); // the clients' threads go on for a while otherwise
    }

    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
