package mqbridge.checks;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.IllegalStateRuntimeException;
import javax.jms.InvalidDestinationRuntimeException;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.Queue;
import javax.jms.QueueBrowser;
import javax.jms.TemporaryQueue;

/** Sessions: acknowledgement, transactions, listeners, browsers, selectors, temporary queues. */
public class JmsSessions extends JmsProgram {
    public JmsSessions(Place place) {
        super(place);
    }

    public void nothingIsReceivedFromAnEmptyQueue() throws Exception {
        try (JMSContext context = context();
                JMSConsumer consumer = context.createConsumer(context.createTemporaryQueue())) {
            Expect.equal(null, consumer.receiveNoWait());
            long began = System.nanoTime();
            Expect.equal(null, consumer.receive(300));
            Expect.that(System.nanoTime() - began > 250_000_000L, "it did not wait");
        }
    }

    public void aTransactionIsCommitted() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED);
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "one").send(queue, "two");
            try (JMSConsumer consumer = other.createConsumer(queue)) {
                Expect.equal(null, consumer.receiveNoWait());
                context.commit();
                Expect.equal("one", text(consumer.receive(PATIENCE)));
                Expect.equal("two", text(consumer.receive(PATIENCE)));
            }
        }
    }

    public void aTransactionReceivesWhatItSent() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED);
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            try (JMSConsumer consumer = context.createConsumer(queue);
                    JMSConsumer others = other.createConsumer(queue)) {
                for (boolean commits : new boolean[] {true, false}) {
                    context.createProducer().send(queue, "one").send(queue, "two");
                    Expect.equal("one", text(consumer.receive(PATIENCE)));
                    Expect.equal(null, others.receiveNoWait());
                    Expect.equal("two", text(consumer.receiveNoWait()));
                    Expect.equal(null, consumer.receiveNoWait());
                    if (commits) {
                        context.commit();
                    } else {
                        context.rollback();
                    }
                    Expect.equal(null, others.receiveNoWait());
                }
                context.createProducer().setJMSCorrelationID("mine").send(queue, "by selector");
                try (JMSConsumer selecting = context.createConsumer(queue, "JMSCorrelationID = 'mine'")) {
                    Expect.equal("by selector", text(selecting.receive(PATIENCE)));
                }
                context.commit();
                Expect.equal(null, others.receiveNoWait());
            }
        }
    }

    public void aListenerOfATransactionHearsWhatItSent() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED);
                JMSContext sender = context()) {
            Queue queue = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(queue);
            consumer.setMessageListener(message -> {
                try {
                    heard.add(text(message));
                    if (text(message).equals("first")) {
                        context.createProducer().send(queue, "second");
                    } else {
                        context.commit();
                    }
                } catch (Exception error) {
                    heard.add(error.toString());
                }
            });
            sender.createProducer().send(queue, "first");
            Expect.equal("first", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal("second", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            Expect.equal(null, heard.poll(200, TimeUnit.MILLISECONDS));
        }
    }

    public void aTransactionIsRolledBack() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "stays");
            context.commit();
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("stays", text(consumer.receive(PATIENCE)));
                context.createProducer().send(queue, "never");
                context.rollback();
                Message again = consumer.receive(PATIENCE);
                Expect.equal("stays", text(again));
                Expect.equal(true, again.getJMSRedelivered());
                Expect.equal(2, again.getIntProperty("JMSXDeliveryCount"));
                context.commit();
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void aClientAcknowledges() throws Exception {
        try (JMSContext context = context(JMSContext.CLIENT_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "one").send(queue, "two");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("one", text(consumer.receive(PATIENCE)));
                context.recover();
                Message again = consumer.receive(PATIENCE);
                Expect.equal("one", text(again));
                Expect.equal("two", text(consumer.receive(PATIENCE)));
                context.acknowledge();
                context.recover();
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void aListenerHears() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(200);
        try (JMSContext context = context();
                JMSContext sender = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Queue queue = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(queue);
            consumer.setMessageListener(message -> {
                try {
                    heard.add(text(message));
                } catch (Exception error) {
                    heard.add(error.toString());
                }
            });
            for (int number = 0; number < 100; number++) {
                sender.createProducer().send(queue, "message " + number);
            }
            for (int number = 0; number < 100; number++) {
                Expect.equal("message " + number, heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
            }
            consumer.close();
        }
    }

    public void aStoppedListenerHearsNothing() throws Exception {
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        try (JMSContext context = context();
                JMSContext sender = context()) {
            Queue queue = context.createTemporaryQueue();
            JMSConsumer consumer = context.createConsumer(queue);
            consumer.setMessageListener(message -> heard.add("heard"));
            context.stop();
            sender.createProducer().send(queue, "later");
            Expect.equal(null, heard.poll(300, TimeUnit.MILLISECONDS));
            context.start();
            Expect.equal("heard", heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
        }
    }

    public void aBrowserTakesNothing() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "one").send(queue, "two");
            try (QueueBrowser browser = context.createBrowser(queue)) {
                var messages = browser.getEnumeration();
                Expect.equal("one", text((Message) messages.nextElement()));
                Expect.equal("two", text((Message) messages.nextElement()));
                Expect.equal(false, messages.hasMoreElements());
            }
            Expect.equal("one", text(receive(context, queue)));
        }
    }

    public void aSelectorChooses() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            for (int number = 0; number < 5; number++) {
                context.createProducer().setProperty("number", number).send(queue, "message " + number);
            }
            try (JMSConsumer consumer = context.createConsumer(queue, "number BETWEEN 2 AND 3 AND color IS NULL")) {
                Expect.equal("message 2", text(consumer.receive(PATIENCE)));
                Expect.equal("message 3", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
            Expect.equal("message 0", text(receive(context, queue)));
        }
    }

    public void aReplyIsFoundByItsCorrelationId() throws Exception {
        try (JMSContext context = context()) {
            TemporaryQueue replies = context.createTemporaryQueue();
            Queue requests = context.createTemporaryQueue();
            Message request = context.createTextMessage("question");
            request.setJMSReplyTo(replies);
            context.createProducer().send(requests, request);
            Message taken = receive(context, requests);
            context.createProducer().send(replies, "noise");
            context.createProducer()
                    .setJMSCorrelationID(taken.getJMSMessageID())
                    .send(taken.getJMSReplyTo(), "answer");
            String selector = "JMSCorrelationID = '" + request.getJMSMessageID() + "'";
            try (JMSConsumer consumer = context.createConsumer(replies, selector)) {
                Expect.equal("answer", text(consumer.receive(PATIENCE)));
            }
        }
    }

    public void aTemporaryQueueIsDeleted() throws Exception {
        try (JMSContext context = context()) {
            TemporaryQueue queue = context.createTemporaryQueue();
            context.createProducer().send(queue, "x");
            receive(context, queue);
            queue.delete();
        }
    }

    public void anUnknownQueueIsAnInvalidDestination() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createQueue("NO.SUCH.QUEUE");
            fails(InvalidDestinationRuntimeException.class, () -> context.createProducer().send(queue, "x"));
        }
    }

    public void aCommitOutsideATransactionFails() throws Exception {
        try (JMSContext context = context()) {
            fails(IllegalStateRuntimeException.class, context::commit);
        }
    }

    public void manySessionsShareAConnection() throws Exception {
        try (JMSContext first = context()) {
            Queue queue = first.createTemporaryQueue();
            JMSContext[] others = new JMSContext[12];
            for (int number = 0; number < others.length; number++) {
                others[number] = first.createContext(JMSContext.AUTO_ACKNOWLEDGE);
                others[number].createProducer().send(queue, "from " + number);
            }
            for (int number = 0; number < others.length; number++) {
                Expect.equal("from " + number, text(receive(others[number], queue)));
            }
            for (JMSContext other : others) {
                other.close();
            }
        }
    }

    public void aListenerOutlivesInhibitedGets() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.JMS.INHIBITED) REPLACE");
        JMSContext listening = context();
        JMSConsumer consumer = listening.createConsumer(listening.createQueue("CHECKS.JMS.INHIBITED"));
        consumer.setMessageListener(message -> {});
        Console.mqsc("ALTER QLOCAL(CHECKS.JMS.INHIBITED) GET(DISABLED)");
        Thread.sleep(300);
        Thread closing = new Thread(listening::close);
        closing.setDaemon(true);
        closing.start();
        closing.join(PATIENCE);
        Expect.that(!closing.isAlive(), "the connection cannot be closed");
    }

    public void aListenerGoesOnWhenGetsAreAllowed() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.JMS.ALLOWED) REPLACE GET(DISABLED)");
        BlockingQueue<String> heard = new ArrayBlockingQueue<>(10);
        JmsConnectionFactory factory = factory();
        factory.setIntProperty(WMQConstants.ASYNC_EXCEPTIONS, WMQConstants.ASYNC_EXCEPTIONS_ALL);
        try (JMSContext listening = factory.createContext(); JMSContext sending = context()) {
            BlockingQueue<String> reasons = new ArrayBlockingQueue<>(100);
            listening.setExceptionListener(told -> reasons.add(String.valueOf(told.getCause())));
            Queue queue = sending.createQueue("CHECKS.JMS.ALLOWED");
            JMSConsumer consumer = listening.createConsumer(queue);
            consumer.setMessageListener(message -> {
                try {
                    heard.add(text(message));
                } catch (JMSException error) {
                    throw new JMSRuntimeException(error.toString());
                }
            });
            for (int turn = 0; turn < 3; turn++) {
                is("MQRC_GET_INHIBITED", reasons);
                sending.createProducer().send(queue, "inhibited " + turn);
                Expect.equal(null, heard.poll(100, TimeUnit.MILLISECONDS));
                Console.mqsc("ALTER QLOCAL(CHECKS.JMS.ALLOWED) GET(ENABLED)");
                Expect.equal("inhibited " + turn, heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
                is("MQRC_GET_ENABLED", reasons);
                sending.createProducer().send(queue, "allowed " + turn);
                Expect.equal("allowed " + turn, heard.poll(PATIENCE, TimeUnit.MILLISECONDS));
                Console.mqsc("ALTER QLOCAL(CHECKS.JMS.ALLOWED) GET(DISABLED)");
            }
        }
    }

    /** The next reason that a connection was told. */
    private static void is(String reason, BlockingQueue<String> reasons) throws Exception {
        String told = reasons.poll(PATIENCE, TimeUnit.MILLISECONDS);
        Expect.that(told != null && told.contains(reason), reason + " expected, not " + told);
    }
}
