package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.Session;

/** Acknowledgement, redelivery, poison messages, listeners, closing. */
public class JmsRedelivery extends JmsProgram {
    public JmsRedelivery(Place place) {
        super(place);
    }

    private static int left(JMSContext context, Queue queue) throws Exception {
        int count = 0;
        try (QueueBrowser browser = context.createBrowser(queue)) {
            for (var messages = browser.getEnumeration(); messages.hasMoreElements(); messages.nextElement()) {
                count++;
            }
        }
        return count;
    }

    public void deliveriesAreCounted() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "x");
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                for (int count = 1; count <= 4; count++) {
                    Message message = consumer.receive(PATIENCE);
                    Expect.equal(count, message.getIntProperty("JMSXDeliveryCount"));
                    Expect.equal(count > 1, message.getJMSRedelivered());
                    context.rollback();
                }
            }
        }
    }

    public void theOrderSurvivesARollback() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createTemporaryQueue();
            for (int number = 0; number < 5; number++) {
                context.createProducer().send(queue, "message " + number);
            }
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                for (int number = 0; number < 3; number++) {
                    consumer.receive(PATIENCE);
                }
                context.rollback();
                for (int number = 0; number < 5; number++) {
                    Expect.equal("message " + number, text(consumer.receive(PATIENCE)));
                }
                context.commit();
            }
        }
    }

    public void oneAcknowledgementIsForAll() throws Exception {
        try (JMSContext context = context(JMSContext.CLIENT_ACKNOWLEDGE);
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            other.createProducer().send(queue, "one").send(queue, "two").send(queue, "three");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                consumer.receive(PATIENCE);
                Message second = consumer.receive(PATIENCE);
                second.acknowledge();
                Expect.equal("three", text(consumer.receive(PATIENCE)));
                context.recover();
                Message third = consumer.receive(PATIENCE);
                Expect.equal("three", text(third));
                Expect.equal(true, third.getJMSRedelivered());
                third.acknowledge();
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void whatIsNotAcknowledgedComesBack() throws Exception {
        try (JMSContext other = context()) {
            Queue queue = other.createTemporaryQueue();
            other.createProducer().send(queue, "x");
            try (JMSContext context = other.createContext(JMSContext.CLIENT_ACKNOWLEDGE);
                    JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("x", text(consumer.receive(PATIENCE)));
            }
            Message again = receive(other, queue);
            Expect.equal("x", text(again));
            Expect.equal(true, again.getJMSRedelivered());
        }
    }

    public void duplicatesMayBeOk() throws Exception {
        try (JMSContext context = context(JMSContext.DUPS_OK_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            for (int number = 0; number < 30; number++) {
                context.createProducer().send(queue, "message " + number);
            }
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                for (int number = 0; number < 30; number++) {
                    Expect.equal("message " + number, text(consumer.receive(PATIENCE)));
                }
            }
            Expect.equal(0, left(context, queue));
        }
    }

    public void closingATransactedSessionRollsBack() throws Exception {
        try (JMSContext other = context()) {
            Queue queue = other.createTemporaryQueue();
            Queue second = other.createTemporaryQueue();
            other.createProducer().send(queue, "stays");
            try (JMSContext context = other.createContext(JMSContext.SESSION_TRANSACTED)) {
                receive(context, queue);
                context.createProducer().send(second, "never");
            }
            Expect.equal("stays", text(receive(other, queue)));
            Expect.equal(0, left(other, second));
        }
    }

    public void aPoisonMessageGoesToTheBackoutQueue() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.BACKOUT) REPLACE");
        Console.mqsc("DEFINE QLOCAL(CHECKS.POISON) BOTHRESH(2) BOQNAME(CHECKS.BACKOUT) REPLACE");
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("CHECKS.POISON");
            Message poison = context.createTextMessage("poison");
            poison.setStringProperty("colour", "green");
            context.createProducer().send(queue, poison).send(queue, "good");
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                for (int count = 0; count < 2; count++) {
                    Expect.equal("poison", text(consumer.receive(PATIENCE)));
                    context.rollback();
                }
                Expect.equal("good", text(consumer.receive(PATIENCE)));
                context.commit();
            }
            Message found = receive(context, context.createQueue("CHECKS.BACKOUT"));
            Expect.equal("poison", text(found));
            Expect.equal("green", found.getStringProperty("colour"));
            Expect.equal(poison.getJMSMessageID(), found.getJMSMessageID());
            context.commit();
        }
    }

    public void poisonIsFoundThroughAnAliasToo() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.TOXIN.ASIDE) REPLACE");
        Console.mqsc("DEFINE QLOCAL(CHECKS.TOXIN) BOTHRESH(1) BOQNAME(CHECKS.TOXIN.ASIDE) REPLACE");
        Console.mqsc("DEFINE QALIAS(CHECKS.TOXIN.ALIAS) TARGET(CHECKS.TOXIN) REPLACE");
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("CHECKS.TOXIN.ALIAS");
            context.createProducer().send(queue, "toxin").send(queue, "good");
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("toxin", text(consumer.receive(PATIENCE)));
                context.rollback();
                Expect.equal("good", text(consumer.receive(PATIENCE)));
                context.commit();
            }
            Expect.equal(1, left(context, context.createQueue("CHECKS.TOXIN.ASIDE")));
        }
    }

    public void withoutBackoutQueueThePoisonIsADeadLetter() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.DLQ) REPLACE");
        Console.mqsc("ALTER QMGR DEADQ(CHECKS.DLQ)");
        Console.mqsc("DEFINE QLOCAL(CHECKS.VENOM) BOTHRESH(1) REPLACE");
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("CHECKS.VENOM");
            context.createProducer().send(queue, "venom");
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("venom", text(consumer.receive(PATIENCE)));
                context.rollback();
                Expect.equal(null, consumer.receive(500));
            }
            Expect.equal(1, left(context, context.createQueue("CHECKS.DLQ")));
        }
    }

    public void aListenerThatFailsHearsAgain() throws Exception {
        BlockingQueue<Integer> counts = new ArrayBlockingQueue<>(10);
        try (JMSContext context = context(JMSContext.AUTO_ACKNOWLEDGE);
                JMSContext sender = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                consumer.setMessageListener(message -> {
                    try {
                        int count = message.getIntProperty("JMSXDeliveryCount");
                        counts.add(count);
                        if (count < 3) {
                            throw new IllegalStateException("not yet");
                        }
                    } catch (javax.jms.JMSException error) {
                        counts.add(-1);
                    }
                });
                sender.createProducer().send(queue, "x");
                for (int count = 1; count <= 3; count++) {
                    Expect.equal(count, counts.poll(PATIENCE, TimeUnit.MILLISECONDS));
                }
                Expect.equal(null, counts.poll(200, TimeUnit.MILLISECONDS));
            }
        }
    }

    public void listenersWorkSideBySide() throws Exception {
        int sessions = 4;
        int messages = 200;
        CountDownLatch all = new CountDownLatch(messages);
        AtomicInteger most = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        JmsConnectionFactory factory = factory();
        try (Connection connection = factory.createConnection();
                JMSContext sender = context()) {
            Queue queue = sender.createTemporaryQueue();
            for (int number = 0; number < sessions; number++) {
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                session.createConsumer(session.createQueue(queue.getQueueName())).setMessageListener(message -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    all.countDown();
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                    now.decrementAndGet();
                });
            }
            connection.start();
            for (int number = 0; number < messages; number++) {
                sender.createProducer().send(queue, "message " + number);
            }
            Expect.that(all.await(PATIENCE, TimeUnit.MILLISECONDS), all.getCount() + " not heard");
            Expect.that(most.get() > 1, "one after the other");
            Expect.equal(0, left(sender, queue));
        }
    }

    public void aTransactedListenerCommits() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        try (Connection connection = factory().createConnection();
                JMSContext other = context()) {
            Queue queue = other.createTemporaryQueue();
            Queue answers = other.createTemporaryQueue();
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            var producer = session.createProducer(session.createQueue(answers.getQueueName()));
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            session.createConsumer(session.createQueue(queue.getQueueName())).setMessageListener(message -> {
                try {
                    producer.send(session.createTextMessage("answer"));
                    if (message.getJMSRedelivered()) {
                        session.commit();
                        heard.add("done");
                    } else {
                        session.rollback();
                    }
                } catch (javax.jms.JMSException error) {
                    heard.add(error.toString());
                }
            });
            connection.start();
            other.createProducer().send(queue, "x");
            Expect.equal("done", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal(1, left(other, answers));
        }
    }

    public void closingEndsAReceive() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(queue);
            Thread later = later(consumer::close);
            Expect.equal(null, consumer.receive(PATIENCE));
            later.join();
            context.createProducer().send(queue, "x");
            Expect.equal("x", text(receive(context, queue)));
        }
    }

    public void closingTheConnectionEndsAReceive() throws Exception {
        Connection connection = factory().createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = session.createConsumer(session.createTemporaryQueue());
        connection.start();
        Thread later = later(connection::close);
        Expect.equal(null, consumer.receive());
        later.join();
    }

    public void aStoppedConnectionReceivesNothing() throws Exception {
        try (Connection connection = factory().createConnection()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createTemporaryQueue();
            MessageConsumer consumer = session.createConsumer(queue);
            session.createProducer(queue).send(session.createTextMessage("x"));
            Expect.equal(null, consumer.receive(200));
            connection.start();
            Expect.equal("x", text(consumer.receive(PATIENCE)));
            connection.stop();
            session.createProducer(queue).send(session.createTextMessage("y"));
            Expect.equal(null, consumer.receiveNoWait());
            connection.start();
            Expect.equal("y", text(consumer.receive(PATIENCE)));
        }
    }

    public void readAheadLosesNothing() throws Exception {
        try (JMSContext context = context();
                JMSContext sender = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            var ahead = context.createQueue(queue.getQueueName());
            ((com.ibm.msg.client.jms.JmsPropertyContext) ahead)
                    .setIntProperty(WMQConstants.WMQ_READ_AHEAD_ALLOWED, WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
            for (int number = 0; number < 500; number++) {
                sender.createProducer()
                        .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                        .send(queue, "message " + number);
            }
            try (JMSConsumer consumer = context.createConsumer(ahead)) {
                for (int number = 0; number < 500; number++) {
                    Expect.equal("message " + number, text(consumer.receive(PATIENCE)));
                }
            }
        }
    }
}
