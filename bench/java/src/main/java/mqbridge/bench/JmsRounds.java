package mqbridge.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.ConnectionFactory;
import javax.jms.DeliveryMode;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;

/**
 * {@code flow QUEUE COUNT SIZE BATCH PAIRS}: each of the producers and consumers has a connection of its own; batches of
 * 0: each message sent and acknowledged alone. {@code fill}: the same without consumers, {@code drain}: without
 * producers. {@code ask}: see {@link RequestReply}.
 */
final class JmsRounds implements Rounds {
    static final long LIMIT = 60_000;

    private final ConnectionFactory factory;

    JmsRounds(ConnectionFactory factory) {
        this.factory = factory;
    }

    @Override
    public String run(String[] command) throws Exception {
        int count = Integer.parseInt(command[2]);
        int size = Integer.parseInt(command[3]);
        return switch (command[0]) {
            case "flow", "fill", "drain" ->
                flow(command, count, size, Integer.parseInt(command[4]), Integer.parseInt(command[5]));
            case "ask" -> RequestReply.of(factory, command[1], count, size, command[4].equals("threads"));
            default -> throw new IllegalArgumentException(command[0]);
        };
    }

    private String flow(String[] command, int count, int size, int batch, int pairs) throws Exception {
        String queue = command[1];
        List<Connection> connections = new ArrayList<>();
        Crowd crowd = new Crowd();
        int each = count / pairs;
        try {
            for (int pair = 0; pair < pairs; pair++) {
                if (!command[0].equals("drain")) {
                    Session out = session(connections, batch);
                    MessageProducer producer = out.createProducer(out.createQueue(queue));
                    producer.setDeliveryMode(DeliveryMode.PERSISTENT);
                    crowd.add(() -> send(out, producer, each, size, batch));
                }
                if (command[0].equals("fill")) {
                    continue;
                }
                Session in = session(connections, batch);
                MessageConsumer consumer = in.createConsumer(in.createQueue(queue));
                crowd.add(() -> receive(in, consumer, each, size, batch));
            }
            double seconds = crowd.run();
            double ended = System.nanoTime() / 1e9; // on the machine's monotonic clock
            return String.format(Locale.ROOT, "\"seconds\": %.6f, \"ended\": %.6f", seconds, ended);
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private Session session(List<Connection> connections, int batch) throws JMSException {
        Connection connection = factory.createConnection();
        connections.add(connection);
        connection.start();
        return connection.createSession(batch > 0, batch > 0 ? Session.SESSION_TRANSACTED : Session.AUTO_ACKNOWLEDGE);
    }

    private static void send(Session session, MessageProducer producer, int count, int size, int batch)
        throws JMSException {
        byte[] body = new byte[size];
        for (int done = 1; done <= count; done++) {
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(body);
            producer.send(message);
            if (batch > 0 && (done % batch == 0 || done == count)) {
                session.commit();
            }
        }
    }

    private static void receive(Session session, MessageConsumer consumer, int count, int size, int batch)
        throws JMSException {
        for (int done = 1; done <= count; done++) {
            Message message = consumer.receive(LIMIT);
            if (!(message instanceof BytesMessage bytes) || bytes.getBodyLength() != size) {
                throw new IllegalStateException("message " + done + " is " + message);
            }
            if (batch > 0 && (done % batch == 0 || done == count)) {
                session.commit();
            }
        }
        consumer.close(); // what it has beyond its share goes to the others
    }
}
