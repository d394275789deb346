package mqbridge.checks;

import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
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

/** Connection consumers with pools of sessions, as application servers have them; requestors. */
public class JmsConsumers extends JmsProgram {
    private final JMSContext context = context();
    private final Queue queue;

    public JmsConsumers(Place place) throws Exception {
        super(place);
        String name = "CONSUMERS." + System.nanoTime();
        Console.mqsc("DEFINE QLOCAL(" + name + ")");
        queue = context.createQueue(name);
    }

    @Override
    void end() {
        context.close();
    }

    /** A pool of so many sessions, each of which hands its messages to a listener in a thread of its own. */
    private static final class Pool implements ServerSessionPool {
        private final BlockingQueue<ServerSession> idle = new ArrayBlockingQueue<>(10);

        Pool(Connection connection, int sessions, MessageListener listener) throws JMSException {
            for (int number = 0; number < sessions; number++) {
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                session.setMessageListener(listener);
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
        }

        @Override
        public ServerSession getServerSession() throws JMSException {
            try {
                return idle.take();
            } catch (InterruptedException interrupted) {
                throw new JMSException(interrupted.toString());
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
            java.util.Set<String> all = new java.util.TreeSet<>();
            for (int number = 0; number < 20; number++) {
                String text = heard.poll(PATIENCE, TimeUnit.MILLISECONDS);
                Expect.that(text != null, "only " + all);
                all.add(text);
            }
            Expect.equal(20, all.size());
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
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
        }
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
