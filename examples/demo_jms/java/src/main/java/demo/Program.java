package demo;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The program at one end of the link: it sends messages, takes those of the other end, and replies to requests.
 *
 * <p>Arguments: provider, port, user, password, queue to send to, queue to receive from, number of messages. Each line
 * on standard input is a number: so many messages may be sent by now; the program ends with its standard input. It says
 * {@code ready}, a tab and how many of the messages are requests; and of each message, once its unit of work is committed, {@code sent} or {@code received}, a tab, and
 * {@link Facts}.
 */
public final class Program {
    private static final String ANSWERS = "ANSWERS";
    private static final int BATCH = 20;
    private static final long WAIT = 250;
    private static final long PAUSE = 20;

    private final ConnectionFactory factory;
    private final String sendTo;
    private final String receiveFrom;
    private final int messages;
    private final PrintStream output = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    private volatile int allowed;

    /** A part of the program, with a thread and a connection of its own. */
    private interface Part {
        void run(Units units) throws InterruptedException;
    }

    private Program(String[] arguments) throws JMSException {
        Provider provider = Provider.valueOf(arguments[0]);
        factory = provider.factory(Integer.parseInt(arguments[1]), arguments[2], arguments[3]);
        sendTo = arguments[4];
        receiveFrom = arguments[5];
        messages = Integer.parseInt(arguments[6]);
    }

    public static void main(String[] arguments) throws Exception {
        Program program = new Program(arguments);
        program.start("MARK.SENDER", program::send);
        program.start("MARK.RECEIVER", program::receive);
        program.start("MARK.ANSWERS", program::receiveReplies);
        program.say(List.of("ready\t" + Orders.requests(program.messages)));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            program.allowed = Integer.parseInt(line);
        }
        Runtime.getRuntime().halt(0);
    }

    private void start(String mark, Part part) throws JMSException {
        Units units = new Units(factory, mark);
        Thread thread = new Thread(() -> {
            try {
                part.run(units);
            } catch (Throwable failure) {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            }
        });
        thread.start();
    }

    private void send(Units units) throws InterruptedException {
        int sent = 0;
        while (sent < messages) {
            int first = sent + 1;
            int last = Math.min(Math.min(allowed, messages), sent + BATCH);
            if (last < first) {
                Thread.sleep(PAUSE);
            } else {
                say(units.commit(unit -> sendMessages(unit, first, last)));
                sent = last;
            }
        }
    }

    private List<String> sendMessages(Units units, int first, int last) throws JMSException {
        List<String> said = new ArrayList<>();
        Destination to = units.session().createQueue(sendTo);
        Destination answers = units.session().createQueue(ANSWERS);
        for (int number = first; number <= last; number++) {
            Message message = Orders.make(units.session(), number, answers);
            units.send(to, message, Orders.priority(number), Orders.timeToLive(number));
            said.add("sent\t" + Facts.of(message));
        }
        return said;
    }

    private void receive(Units units) throws InterruptedException {
        while (true) {
            say(units.commit(this::receiveMessages));
        }
    }

    private List<String> receiveMessages(Units units) throws JMSException {
        List<String> said = new ArrayList<>();
        for (Message message : received(units, receiveFrom)) {
            said.add("received\t" + Facts.of(message));
            if (message.getJMSReplyTo() != null) {
                Message reply = Orders.reply(units.session(), message);
                units.send(message.getJMSReplyTo(), reply, Message.DEFAULT_PRIORITY, 0);
                said.add("sent\t" + Facts.of(reply));
            }
        }
        return said;
    }

    private void receiveReplies(Units units) throws InterruptedException {
        while (true) {
            say(units.commit(unit -> {
                List<String> said = new ArrayList<>();
                for (Message message : received(unit, ANSWERS)) {
                    said.add("received\t" + Facts.of(message));
                }
                return said;
            }));
        }
    }

    private static List<Message> received(Units units, String queue) throws JMSException {
        List<Message> found = new ArrayList<>();
        Message message = units.receive(queue, WAIT);
        while (message != null) {
            found.add(message);
            message = found.size() < BATCH ? units.receive(queue, 0) : null;
        }
        return found;
    }

    private synchronized void say(List<String> lines) {
        lines.forEach(output::println);
        output.flush();
    }
}
