package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.Session;

/** Stopped channels, a queue manager that ends, is killed and comes back, and clients that reconnect. */
public class JmsOutages extends JmsProgram {
    private static final long LONG = 20_000;

    private final Queue queue;

    public JmsOutages(Place place) throws Exception {
        super(place);
        String name = "OUTAGE." + System.nanoTime();
        Console.mqsc("DEFINE QLOCAL(" + name + ")");
        try (JMSContext context = context()) {
            queue = context.createQueue(name);
        }
    }

    private JmsConnectionFactory reconnecting() throws JMSException {
        JmsConnectionFactory factory = factory();
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT);
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_TIMEOUT, 60);
        factory.setStringProperty(
                WMQConstants.WMQ_CONNECTION_NAME_LIST, place.host() + "(" + place.port() + ")");
        return factory;
    }

    private static int reason(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof com.ibm.mq.MQException found) {
                return found.reasonCode;
            }
        }
        throw new AssertionError("no reason code", error);
    }

    private void send(String text) throws JMSException {
        try (JMSContext context = context()) {
            context.createProducer().send(queue, text);
        }
    }

    private String taken() throws JMSException {
        try (JMSContext context = context()) {
            return text(receive(context, queue));
        }
    }

    private void nothingIsLeft() throws JMSException {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(queue)) {
            Expect.equal(null, consumer.receiveNoWait());
        }
    }

    public void aStoppedChannelIsToldToTheExceptionListener() throws Exception {
        BlockingQueue<JMSException> told = new ArrayBlockingQueue<>(10);
        try {
            Connection connection = factory().createConnection();
            connection.setExceptionListener(told::add);
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            session.createConsumer(session.createQueue(queue.getQueueName())).setMessageListener(message -> {});
            connection.start();
            Console.mqsc("STOP CHANNEL(" + place.channel() + ") MODE(FORCE)");
            JMSException error = told.poll(LONG, TimeUnit.MILLISECONDS);
            Expect.that(error != null, "nothing was told");
            reason(error);
        } finally {
            Console.mqsc("START CHANNEL(" + place.channel() + ")");
        }
        send("as before");
        Expect.equal("as before", taken());
    }

    public void aStoppedChannelEndsAReceive() throws Exception {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(queue)) {
            Thread later = later(() -> Console.mqsc("STOP CHANNEL(" + place.channel() + ")"));
            fails(JMSRuntimeException.class, () -> consumer.receive(LONG));
            later.join();
        } catch (JMSRuntimeException closing) {
            Expect.that(reason(closing) > 0, "no reason");
        } finally {
            Console.mqsc("START CHANNEL(" + place.channel() + ")");
        }
    }

    public void aStoppedChannelLetsNobodyIn() throws Exception {
        Console.mqsc("STOP CHANNEL(" + place.channel() + ")");
        try {
            context();
            throw new AssertionError("connected");
        } catch (JMSRuntimeException | JMSException error) {
            Expect.equal(2537, reason(error));
        } finally {
            Console.mqsc("START CHANNEL(" + place.channel() + ")");
        }
        context().close();
    }

    public void onceTheChannelIsStartedTheSocketOfThoseWhoStayIsUsedAgain() throws Exception {
        try (JMSContext staying = context()) {
            send("before");
            Console.mqsc("STOP CHANNEL(" + place.channel() + ") MODE(QUIESCE)");
            try {
                context();
                throw new AssertionError("connected");
            } catch (JMSRuntimeException | JMSException error) {
                Expect.equal(2537, reason(error));
            } finally {
                Console.mqsc("START CHANNEL(" + place.channel() + ")");
            }
            Expect.equal("before", taken());
            try (JMSContext another = context();
                    JMSContext session = another.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
                session.createProducer().send(queue, "after");
            }
            Expect.equal("after", taken());
        }
        nothingIsLeft();
    }

    public void asynchronousPutsIntoAStoppingChannelAreBackedOut() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            com.ibm.mq.jms.MQQueue sent = new com.ibm.mq.jms.MQQueue(queue.getQueueName());
            sent.setPutAsyncAllowed(WMQConstants.WMQ_PUT_ASYNC_ALLOWED_ENABLED);
            context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(sent, "never");
            Console.mqsc("STOP CHANNEL(" + place.channel() + ") MODE(QUIESCE)");
            try {
                context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(sent, "neither");
                context.commit();
                throw new AssertionError("committed");
            } catch (JMSRuntimeException error) {
                Expect.equal(2202, reason(error));
            } finally {
                Console.mqsc("START CHANNEL(" + place.channel() + ")");
            }
        }
        nothingIsLeft();
    }

    public void theEndOfTheQueueManagerIsTold() throws Exception {
        BlockingQueue<JMSException> told = new ArrayBlockingQueue<>(10);
        Connection connection = factory().createConnection();
        connection.setExceptionListener(told::add);
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(session.createQueue(queue.getQueueName()));
        connection.start();
        Thread later = later(() -> Console.ask("end"));
        fails(JMSException.class, () -> consumer.receive(LONG));
        JMSException error = told.poll(LONG, TimeUnit.MILLISECONDS);
        Expect.that(error != null, "nothing was told");
        later.join();
        fails(JMSException.class, () -> session.createProducer(session.createQueue("DEV.QUEUE.1"))
                .send(session.createTextMessage("x")));
    }

    public void whatIsPersistentOutlivesAKill() throws Exception {
        try (JMSContext context = context()) {
            context.createProducer().setProperty("number", 7).send(queue, "kept");
            context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(queue, "lost");
            Console.ask("kill");
        } catch (JMSRuntimeException closing) {
            Expect.equal(2009, reason(closing));
        }
        try (JMSContext context = context()) {
            Message found = receive(context, queue);
            Expect.equal("kept", text(found));
            Expect.equal(7, found.getIntProperty("number"));
        }
        nothingIsLeft();
    }

    public void whatWasNotCommittedIsUndoneByAKill() throws Exception {
        send("stays");
        JMSContext context = context(JMSContext.SESSION_TRANSACTED);
        Expect.equal("stays", text(receive(context, queue)));
        context.createProducer().send(queue, "never");
        Console.ask("kill");
        fails(JMSRuntimeException.class, context::commit);
        Expect.equal("stays", taken());
        nothingIsLeft();
    }

    public void aReceiverReconnects() throws Exception {
        try (JMSContext context = reconnecting().createContext();
                JMSConsumer consumer = context.createConsumer(queue)) {
            Thread later = later(() -> {
                Console.ask("kill");
                send("after the outage");
            });
            Expect.equal("after the outage", text(consumer.receive(LONG)));
            later.join();
        }
    }

    /**
     * Acknowledged before it is told: of an outage during the MQCMIT that the client makes by itself behind a listener
     * it makes 2549, and closes the consumer for that (MQCLOSE right behind the reconnection); nobody is told.
     */
    public void aListenerReconnects() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        try (JMSContext context = reconnecting().createContext(JMSContext.CLIENT_ACKNOWLEDGE);
                JMSConsumer consumer = context.createConsumer(queue)) {
            consumer.setMessageListener(message -> {
                try {
                    message.acknowledge();
                    heard.add(text(message));
                } catch (JMSException error) {
                    heard.add(error.toString());
                }
            });
            send("before");
            Expect.equal("before", heard.poll(LONG, TimeUnit.MILLISECONDS));
            Console.ask("kill");
            send("after");
            Expect.equal("after", heard.poll(LONG, TimeUnit.MILLISECONDS));
        }
    }

    public void aListenerHearsAgainWhatAnOutageCut() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        AtomicBoolean killed = new AtomicBoolean();
        try (JMSContext context = reconnecting().createContext();
                JMSConsumer consumer = context.createConsumer(queue)) {
            consumer.setMessageListener(message -> {
                try {
                    if (!killed.getAndSet(true)) {
                        Console.ask("kill");
                    }
                    heard.add(text(message));
                } catch (Exception error) {
                    heard.add(error.toString());
                }
            });
            send("cut");
            Expect.equal("cut", heard.poll(LONG, TimeUnit.MILLISECONDS));
            send("after");
            Expect.equal("cut", heard.poll(LONG, TimeUnit.MILLISECONDS));
            Expect.equal("after", heard.poll(LONG, TimeUnit.MILLISECONDS));
        }
        nothingIsLeft();
    }

    public void aProducerReconnects() throws Exception {
        try (JMSContext context = reconnecting().createContext()) {
            context.createProducer().send(queue, "one");
            Console.ask("kill");
            context.createProducer().send(queue, "two");
        }
        Expect.equal("one", taken());
        Expect.equal("two", taken());
        nothingIsLeft();
    }

    public void aTransactionCutByAnOutageIsDoneAgain() throws Exception {
        try (JMSContext context = reconnecting().createContext(JMSContext.SESSION_TRANSACTED)) {
            context.createProducer().send(queue, "lost");
            Console.ask("kill");
            fails(JMSRuntimeException.class, context::commit);
            context.createProducer().send(queue, "again");
            context.commit();
        }
        Expect.equal("again", taken());
        nothingIsLeft();
    }

    public void aDurableSubscriptionOutlivesARestart() throws Exception {
        String topic = "topic://outages/" + System.nanoTime();
        JmsConnectionFactory factory = factory();
        factory.setStringProperty(WMQConstants.CLIENT_ID, "outages");
        try (JMSContext context = factory.createContext()) {
            context.createDurableConsumer(context.createTopic(topic), "lasting").close();
            context.createProducer().send(context.createTopic(topic), "before");
        }
        Console.ask("restart");
        try (JMSContext context = factory.createContext()) {
            context.createProducer().send(context.createTopic(topic), "after");
            try (JMSConsumer consumer = context.createDurableConsumer(context.createTopic(topic), "lasting")) {
                Expect.equal("before", text(consumer.receive(PATIENCE)));
                Expect.equal("after", text(consumer.receive(PATIENCE)));
            }
            context.unsubscribe("lasting");
        }
    }
}
