package mqbridge.bench;

import java.util.Arrays;
import java.util.Locale;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.ConnectionFactory;
import javax.jms.DeliveryMode;
import javax.jms.Destination;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;

/**
 * Requests and replies, non-persistent, on one connection: a session asks, another one of the same connection answers.
 * With {@code threads} the answering session waits in a thread of its own, as services do; without, one thread makes all
 * four calls one behind the other, so that nobody ever waits for a message.
 */
final class RequestReply {
    private static final int SEND = 0;
    private static final int REQUEST = 1;
    private static final int ANSWER = 2;
    private static final int REPLY = 3;

    private final Session asking;
    private final Session answering;
    private final MessageProducer requests;
    private final MessageProducer replies;
    private final MessageConsumer requested;
    private final MessageConsumer replied;
    private final Destination replyTo;
    private final byte[] body;
    private final long[][] stages;
    private final long[] sent;
    private final long[] taken;

    private RequestReply(Connection connection, String queue, int count, int size) throws Exception {
        asking = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        answering = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        requests = asking.createProducer(asking.createQueue(queue));
        requests.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        replies = answering.createProducer(null);
        replies.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        requested = answering.createConsumer(answering.createQueue(queue));
        replyTo = asking.createTemporaryQueue();
        replied = asking.createConsumer(replyTo);
        body = new byte[size];
        stages = new long[4][count];
        sent = new long[count];
        taken = new long[count];
    }

    static String of(ConnectionFactory factory, String queue, int count, int size, boolean threads) throws Exception {
        try (Connection connection = factory.createConnection()) {
            connection.start();
            RequestReply pair = new RequestReply(connection, queue, count, size);
            Crowd crowd = new Crowd();
            if (threads) {
                crowd.add(() -> {
                    for (int turn = 0; turn < count; turn++) {
                        pair.ask(turn);
                        pair.takeReply(turn);
                    }
                });
                crowd.add(() -> {
                    for (int turn = 0; turn < count; turn++) {
                        pair.answer(turn);
                    }
                });
            } else {
                crowd.add(() -> {
                    for (int turn = 0; turn < count; turn++) {
                        pair.ask(turn);
                        pair.answer(turn);
                        pair.takeReply(turn);
                    }
                });
            }
            double seconds = crowd.run();
            return String.format(
                Locale.ROOT,
                "\"seconds\": %.6f, \"send\": %.1f, \"request\": %.1f, \"answer\": %.1f, \"reply\": %.1f",
                seconds, median(pair.stages[SEND]), median(pair.stages[REQUEST]), median(pair.stages[ANSWER]),
                median(pair.stages[REPLY]));
        }
    }

    private void ask(int turn) throws Exception {
        BytesMessage message = asking.createBytesMessage();
        message.writeBytes(body);
        message.setJMSReplyTo(replyTo);
        sent[turn] = System.nanoTime();
        requests.send(message);
        stages[SEND][turn] = System.nanoTime() - sent[turn];
    }

    private void answer(int turn) throws Exception {
        Message message = requested.receive(JmsRounds.LIMIT);
        long now = System.nanoTime();
        taken[turn] = now;
        stages[REQUEST][turn] = now - sent[turn];
        BytesMessage reply = answering.createBytesMessage();
        reply.writeBytes(body);
        reply.setJMSCorrelationID(message.getJMSMessageID());
        replies.send(message.getJMSReplyTo(), reply);
        stages[ANSWER][turn] = System.nanoTime() - now;
    }

    private void takeReply(int turn) throws Exception {
        if (!(replied.receive(JmsRounds.LIMIT) instanceof BytesMessage)) {
            throw new IllegalStateException("no reply");
        }
        stages[REPLY][turn] = System.nanoTime() - taken[turn];
    }

    /** Microseconds. */
    private static double median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / 1e3;
    }
}
