package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.ConnectionConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.MessageListener;
import javax.jms.Queue;
import javax.jms.QueueRequestor;
import javax.jms.QueueSession;
import javax.jms.ServerSession;
import javax.jms.ServerSessionPool;
import javax.jms.Session;
import javax.jms.Topic;

/** Connection consumers with pools of sessions, as application servers have them; requestors. */
public class JmsConsumers extends JmsProgram {
    private final JMSContext context = context();
    private final String queueName = "CONSUMERS." + System.nanoTime();
    private final Queue queue;

    public JmsConsumers(Place place) throws Exception {
        super(place);
        Console.mqsc("DEFINE QLOCAL(" + queueName + ")");
        queue = context.createQueue(queueName);
    }

    @Override
    void end() {
        context.close();
    }

    /** A pool of so many sessions, each of which hands its messages to a listener in a thread of its own. */
    private static final class Pool implements ServerSessionPool {
        private final BlockingQueue<ServerSession> idle = new ArrayBlockingQueue<>(10);
        private int all;

        Pool(Connection connection, int sessions, MessageListener listener) throws JMSException {
            for (int number = 0; number < sessions; number++) {
                add(connection.createSession(false, Session.AUTO_ACKNOWLEDGE), listener);
            }
        }

        /** A pool of one session. */
        Pool(Session session, MessageListener listener) throws JMSException {
            add(session, listener);
        }

        private void add(Session session, MessageListener listener) throws JMSException {
            session.setMessageListener(listener);
            all++;
            idle.add(new ServerSession() {
                @Override
                public Session getSession() {
                    return session;
                }

                @Override
                public void start() {
                    Thread thread = new Thread(() -> {
                        session.run();
                        idle.add(this);
                    });
                    thread.setDaemon(true);
                    thread.start();
                }
            });
        }

        @Override
        public ServerSession getServerSession() throws JMSException {
            try {
                return idle.take();
            } catch (InterruptedException interrupted) {
                throw new JMSException(interrupted.toString());
            }
        }

        /** Waits until no session is at work: what was heard is then acknowledged too, and the connection can be closed. */
        void rests() throws InterruptedException {
            for (int number = 0; number < all; number++) {
                Expect.that(idle.poll(PATIENCE, TimeUnit.MILLISECONDS) != null, "a session is still at work");
            }
        }
    }

    public void aPoolOfSessionsConsumesAQueue() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 3, message -> heard.add(said(message)));
            Queue same = context.createQueue(queue.getQueueName());
            ConnectionConsumer consumer = connection.createConnectionConsumer(same, null, pool, 1);
            connection.start();
            for (int number = 0; number < 20; number++) {
                context.createProducer().send(queue, "message " + number);
            }
            Set<String> all = new TreeSet<>();
            for (int number = 0; number < 20; number++) {
                String text = heard.poll(PATIENCE, TimeUnit.MILLISECONDS);
                Expect.that(text != null, "only " + all);
                all.add(text);
            }
            Expect.equal(20, all.size());
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
            consumer.close();
            pool.rests();
        }
    }

    public void aPoolOfSessionsGoesOnWhenGetsAreAllowed() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createConnectionConsumer(queue, null, pool, 1);
            connection.start();
            for (int turn = 0; turn < 3; turn++) {
                Console.mqsc("ALTER QLOCAL(" + queueName + ") GET(DISABLED)");
                context.createProducer().send(queue, "message " + turn);
                Expect.equal(null, heard.poll(100, TimeUnit.MILLISECONDS));
                Console.mqsc("ALTER QLOCAL(" + queueName + ") GET(ENABLED)");
                Expect.equal("message " + turn, heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            }
            consumer.close();
        }
    }

    public void aPoolOfSessionsSelects() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createConnectionConsumer(queue, "number = 2", pool, 1);
            connection.start();
            for (int number = 0; number < 4; number++) {
                context.createProducer().setProperty("number", number).send(queue, "message " + number);
            }
            Expect.equal("message 2", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
            consumer.close();
            pool.rests();
        }
    }

    /** Publishes until the time that all have been heard, in any order; nothing more comes. */
    private void publishesAndHears(Topic topic, BlockingQueue<String> heard, int count) throws Exception {
        Set<String> missing = new TreeSet<>();
        for (int number = 0; number < count; number++) {
            missing.add("publication " + number);
            context.createProducer().send(topic, "publication " + number);
        }
        hears(heard, missing);
    }

    private static void hears(BlockingQueue<String> heard, Set<String> missing) throws Exception {
        while (!missing.isEmpty()) {
            String text = heard.poll(PATIENCE, TimeUnit.MILLISECONDS);
            Expect.that(text != null, "missing " + missing);
            Expect.that(missing.remove(text), "not published, or a second time: " + text);
        }
        Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
    }

    public void aPoolOfSessionsConsumesATopic() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 3, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createConnectionConsumer(topic, null, pool, 1);
            connection.start();
            publishesAndHears(topic, heard, 20);
            consumer.close();
            pool.rests();
            context.createProducer().send(topic, "late");
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
        }
    }

    public void aPoolOfSessionsSelectsPublications() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createConnectionConsumer(topic, "number = 2", pool, 1);
            connection.start();
            for (int number = 0; number < 4; number++) {
                context.createProducer().setProperty("number", number).send(topic, "publication " + number);
            }
            hears(heard, new TreeSet<>(Set.of("publication 2")));
            consumer.close();
            pool.rests();
        }
    }

    public void aPoolOfSessionsConsumesADurableSubscription() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        String name = "durable" + System.nanoTime();
        JmsConnectionFactory factory = factory();
        factory.setStringProperty(WMQConstants.CLIENT_ID, "consumers");
        try (Connection connection = factory.createConnection()) {
            Pool pool = new Pool(connection, 3, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createDurableConnectionConsumer(topic, name, null, pool, 1);
            connection.start();
            publishesAndHears(topic, heard, 20);
            consumer.close();
            pool.rests();
        }
        context.createProducer().send(topic, "meanwhile");
        Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
        try (Connection connection = factory.createConnection()) {
            Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
            ConnectionConsumer consumer = connection.createDurableConnectionConsumer(topic, name, null, pool, 1);
            connection.start();
            hears(heard, new TreeSet<>(Set.of("meanwhile")));
            publishesAndHears(topic, heard, 5);
            consumer.close();
            pool.rests();
            connection.createSession(false, Session.AUTO_ACKNOWLEDGE).unsubscribe(name);
        }
    }

    public void aPoolOfSessionsGetsAPublicationAgain() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        String name = "again" + System.nanoTime();
        JmsConnectionFactory factory = factory();
        factory.setStringProperty(WMQConstants.CLIENT_ID, "consumers");
        try (Connection connection = factory.createConnection()) {
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            Pool pool = new Pool(session, message -> {
                heard.add(said(message));
                try {
                    if (message.getJMSRedelivered()) {
                        session.commit();
                    } else {
                        session.rollback();
                    }
                } catch (JMSException error) {
                    throw new JMSRuntimeException(error.toString());
                }
            });
            ConnectionConsumer consumer = connection.createDurableConnectionConsumer(topic, name, null, pool, 1);
            connection.start();
            context.createProducer().send(topic, "stubborn");
            Expect.equal("stubborn", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal("stubborn", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
            consumer.close();
            pool.rests();
            connection.createSession(false, Session.AUTO_ACKNOWLEDGE).unsubscribe(name);
        }
    }

    public void poolsOfSessionsShareASubscription() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        String name = "shared" + System.nanoTime();
        try (Connection one = factory().createConnection(); Connection other = factory().createConnection()) {
            List<ConnectionConsumer> consumers = new ArrayList<>();
            List<Pool> pools = new ArrayList<>();
            for (Connection connection : List.of(one, other)) {
                Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
                pools.add(pool);
                consumers.add(connection.createSharedConnectionConsumer(topic, name, null, pool, 1));
                connection.start();
            }
            publishesAndHears(topic, heard, 20);
            for (ConnectionConsumer consumer : consumers) {
                consumer.close();
            }
            for (Pool pool : pools) {
                pool.rests();
            }
        }
    }

    public void connectionsAreClosedWithTheirConsumersOpen() throws Exception {
        for (int round = 0; round < 10; round++) {
            BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
            Topic topic = context.createTopic("consumers/" + System.nanoTime());
            String name = "shared" + System.nanoTime();
            List<Connection> connections = List.of(factory().createConnection(), factory().createConnection());
            for (Connection connection : connections) {
                Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
                connection.createSharedConnectionConsumer(topic, name, null, pool, 1);
                connection.start();
            }
            for (int number = 0; number < 10; number++) {
                context.createProducer().send(topic, "publication " + number);
            }
            for (int number = 0; number < 10; number++) {
                Expect.that(heard.poll(PATIENCE, TimeUnit.MILLISECONDS) != null, "only " + number);
            }
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }

    public void poolsOfSessionsShareADurableSubscription() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(100);
        Topic topic = context.createTopic("consumers/" + System.nanoTime());
        String name = "shared" + System.nanoTime();
        try (Connection one = factory().createConnection(); Connection other = factory().createConnection()) {
            List<ConnectionConsumer> consumers = new ArrayList<>();
            List<Pool> pools = new ArrayList<>();
            for (Connection connection : List.of(one, other)) {
                Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
                pools.add(pool);
                consumers.add(connection.createSharedDurableConnectionConsumer(topic, name, null, pool, 1));
                connection.start();
            }
            publishesAndHears(topic, heard, 20);
            for (ConnectionConsumer consumer : consumers) {
                consumer.close();
            }
            for (Pool pool : pools) {
                pool.rests();
            }
        }
        context.createProducer().send(topic, "meanwhile");
        try (Connection connection = factory().createConnection()) {
            Pool pool = new Pool(connection, 2, message -> heard.add(said(message)));
            ConnectionConsumer consumer =
                    connection.createSharedDurableConnectionConsumer(topic, name, null, pool, 1);
            connection.start();
            hears(heard, new TreeSet<>(Set.of("meanwhile")));
            consumer.close();
            pool.rests();
        }
        context.unsubscribe(name);
    }

    private static String said(Message message) {
        try {
            return text(message);
        } catch (JMSException error) {
            throw new JMSRuntimeException(error.toString());
        }
    }

    public void aRequestorGetsItsReply() throws Exception {
        var factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createQueueConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, place.host());
        factory.setIntProperty(WMQConstants.WMQ_PORT, place.port());
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, place.channel());
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        try (var connection = factory.createQueueConnection()) {
            QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            connection.start();
            Thread later = later(() -> {
                Message request = receive(context, queue);
                context.createProducer()
                        .setJMSCorrelationID(request.getJMSMessageID())
                        .send(request.getJMSReplyTo(), "answer to " + text(request));
            });
            QueueRequestor requestor = new QueueRequestor(session, session.createQueue(queue.getQueueName()));
            Expect.equal("answer to question", text(requestor.request(session.createTextMessage("question"))));
            later.join();
        }
    }
}
