package mqbridge.bench;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * {@code flow QUEUE COUNT SIZE BATCH PAIRS} over AMQP 0-9-1: durable queue, persistent messages, each batch confirmed by
 * the broker before the next one (its publisher confirms), each batch received acknowledged at once.
 */
final class RabbitRounds implements Rounds {
    private final ConnectionFactory factory = new ConnectionFactory();

    RabbitRounds(String host, int port) {
        factory.setHost(host);
        factory.setPort(port);
    }

    @Override
    public String run(String[] command) throws Exception {
        String queue = command[1];
        int size = Integer.parseInt(command[3]);
        int batch = Math.max(1, Integer.parseInt(command[4]));
        int pairs = Integer.parseInt(command[5]);
        int each = Integer.parseInt(command[2]) / pairs;
        List<Connection> connections = new ArrayList<>();
        Crowd crowd = new Crowd();
        try {
            for (int pair = 0; pair < pairs; pair++) {
                Channel out = channel(connections);
                out.queueDeclare(queue, true, false, false, null);
                out.confirmSelect();
                crowd.add(() -> send(out, queue, each, size, batch));
                Channel in = channel(connections);
                in.basicQos(2 * batch);
                crowd.add(() -> receive(in, queue, each, batch));
            }
            return String.format(Locale.ROOT, "\"seconds\": %.6f", crowd.run());
        } finally {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    private Channel channel(List<Connection> connections) throws Exception {
        Connection connection = factory.newConnection();
        connections.add(connection);
        return connection.createChannel();
    }

    private static void send(Channel channel, String queue, int count, int size, int batch) throws Exception {
        byte[] body = new byte[size];
        for (int done = 1; done <= count; done++) {
            channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, body);
            if (done % batch == 0 || done == count) {
                channel.waitForConfirmsOrDie(JmsRounds.LIMIT);
            }
        }
    }

    private static void receive(Channel channel, String queue, int count, int batch) throws Exception {
        LinkedBlockingQueue<Long> tags = new LinkedBlockingQueue<>();
        channel.basicConsume(queue, false, new DefaultConsumer(channel) {
            @Override
            public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) {
                tags.add(envelope.getDeliveryTag());
            }
        });
        for (int done = 1; done <= count; done++) {
            Long tag = tags.poll(JmsRounds.LIMIT, TimeUnit.MILLISECONDS);
            if (tag == null) {
                throw new IllegalStateException("no message " + done);
            }
            if (done % batch == 0 || done == count) {
                channel.basicAck(tag, true);
            }
        }
        channel.close(); // what it has beyond its share goes to the others
    }
}
