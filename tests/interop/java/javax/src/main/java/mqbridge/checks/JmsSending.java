package mqbridge.checks;

import com.ibm.msg.client.jms.JmsPropertyContext;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.BytesMessage;
import javax.jms.CompletionListener;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.JMSProducer;
import javax.jms.JMSRuntimeException;
import javax.jms.Message;
import javax.jms.MessageFormatRuntimeException;
import javax.jms.MessageNotWriteableException;
import javax.jms.Queue;
import javax.jms.QueueBrowser;

/** What producers may ask for, and what becomes of it. */
public class JmsSending extends JmsProgram {
    private final JMSContext context = context();
    private final Queue queue = context.createTemporaryQueue();

    public JmsSending(Place place) throws JMSException {
        super(place);
    }

    @Override
    void end() {
        context.close();
    }

    private Message there() {
        return receive(context, queue);
    }

    public void timeToLiveRunsOut() throws Exception {
        context.createProducer().setTimeToLive(200).send(queue, "short");
        context.createProducer().setTimeToLive(60_000).send(queue, "long");
        context.createProducer().send(queue, "for ever");
        Thread.sleep(400);
        Message found = there();
        Expect.equal("long", text(found));
        Expect.that(found.getJMSExpiration() > System.currentTimeMillis(), "expired already");
        Expect.equal(0L, there().getJMSExpiration());
    }

    public void anExpiredMessageIsNotBrowsed() throws Exception {
        context.createProducer().setTimeToLive(100).send(queue, "short");
        Thread.sleep(300);
        try (QueueBrowser browser = context.createBrowser(queue)) {
            Expect.that(!browser.getEnumeration().hasMoreElements(), "an expired message was browsed");
        }
    }

    public void aDelayedMessageTellsItsTime() throws Exception {
        long began = System.currentTimeMillis();
        context.createProducer().setDeliveryDelay(600).send(queue, "later");
        context.createProducer().send(queue, "now");
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            Expect.equal("now", text(consumer.receive(PATIENCE)));
            Message found = consumer.receive(PATIENCE);
            Expect.equal("later", text(found));
            Expect.that(System.currentTimeMillis() - began >= 590, "too early");
            Expect.that(found.getJMSDeliveryTime() >= began + 590, "delivery time " + found.getJMSDeliveryTime());
        }
    }

    public void prioritiesOrderInsideATransaction() throws Exception {
        try (JMSContext transacted = context.createContext(JMSContext.SESSION_TRANSACTED)) {
            for (int priority : new int[] {1, 9, 5, 9}) {
                transacted.createProducer().setPriority(priority).send(queue, "p" + priority);
            }
            transacted.commit();
        }
        for (String expected : new String[] {"p9", "p9", "p5", "p1"}) {
            Expect.equal(expected, text(there()));
        }
    }

    public void persistenceTravels() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.PERSISTENCE) REPLACE");
        Queue kept = context.createQueue("CHECKS.PERSISTENCE");
        for (int mode : new int[] {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT}) {
            context.createProducer().setDeliveryMode(mode).send(kept, "x");
            Expect.equal(mode, receive(context, kept).getJMSDeliveryMode());
        }
    }

    public void theQueueMayDecideOnPersistence() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.DECIDES) DEFPSIST(YES) DEFPRTY(3) REPLACE");
        Queue decides = context.createQueue("queue:///CHECKS.DECIDES?persistence=-1&priority=-1");
        JMSProducer producer = context.createProducer();
        producer.send(decides, "x");
        Message found = receive(context, context.createQueue("CHECKS.DECIDES"));
        Expect.equal(DeliveryMode.PERSISTENT, found.getJMSDeliveryMode());
    }

    public void asynchronousSendsComplete() throws Exception {
        BlockingQueue<String> told = new ArrayBlockingQueue<>(10);
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                told.add("sent");
            }

            @Override
            public void onException(Message message, Exception error) {
                told.add("failed");
            }
        };
        context.createProducer().setAsync(listener).send(queue, "x");
        Expect.equal("sent", told.poll(PATIENCE, TimeUnit.MILLISECONDS));
        Expect.equal("x", text(there()));
        context.createProducer().setAsync(listener).send(context.createQueue("CHECKS.FULL"), "x");
        Expect.equal("failed", told.poll(PATIENCE, TimeUnit.MILLISECONDS));
    }

    public void putsWithoutAnswerArrive() throws Exception {
        Queue plain = context.createQueue(queue.getQueueName());
        ((JmsPropertyContext) plain)
                .setIntProperty(WMQConstants.WMQ_PUT_ASYNC_ALLOWED, WMQConstants.WMQ_PUT_ASYNC_ALLOWED_ENABLED);
        JMSProducer producer = context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        for (int number = 0; number < 300; number++) {
            producer.send(plain, "message " + number);
        }
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            for (int number = 0; number < 300; number++) {
                Expect.equal("message " + number, text(consumer.receive(PATIENCE)));
            }
        }
    }

    public void otherProgramsGetPlainText() throws Exception {
        Queue plain = context.createQueue(queue.getQueueName());
        ((JmsPropertyContext) plain)
                .setIntProperty(WMQConstants.WMQ_TARGET_CLIENT, WMQConstants.WMQ_TARGET_DEST_MQ);
        context.createProducer()
                .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                .setProperty("lost", 1)
                .send(plain, "no header");
        Message found = there();
        Expect.equal("no header", text(found));
        Expect.that(!found.propertyExists("lost"), "the property travelled");
        Expect.equal("MQSTR", found.getStringProperty("JMS_IBM_Format").trim());
    }

    public void textIsWrittenInOtherCodePages() throws Exception {
        for (int ccsid : new int[] {500, 1200, 819, 1208}) {
            Queue coded = context.createQueue(queue.getQueueName());
            ((JmsPropertyContext) coded).setIntProperty(WMQConstants.WMQ_CCSID, ccsid);
            context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(coded, "Grüße " + ccsid);
            Expect.equal("Grüße " + ccsid, text(there()));
        }
    }

    public void theQueueManagerMayConvertForTheReceiver() throws Exception {
        Queue coded = context.createQueue(queue.getQueueName());
        ((JmsPropertyContext) coded).setIntProperty(WMQConstants.WMQ_CCSID, 500);
        context.createProducer().setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(coded, "Grüße");
        Queue converted = context.createQueue(queue.getQueueName());
        JmsPropertyContext how = (JmsPropertyContext) converted;
        how.setIntProperty(WMQConstants.WMQ_RECEIVE_CONVERSION, WMQConstants.WMQ_RECEIVE_CONVERSION_QMGR);
        how.setIntProperty(WMQConstants.WMQ_RECEIVE_CCSID, 819);
        Message found = receive(context, converted);
        Expect.equal("Grüße", text(found));
        Expect.that(found.getStringProperty("JMS_IBM_Character_Set").contains("8859"),
                found.getStringProperty("JMS_IBM_Character_Set"));
    }

    public void largeMessagesTravelWhereAllowed() throws Exception {
        Console.mqsc("ALTER QMGR MAXMSGL(104857600)");
        Console.mqsc("DEFINE QLOCAL(CHECKS.LARGE) MAXMSGL(104857600) REPLACE");
        Console.mqsc("DEFINE CHANNEL(LARGE) CHLTYPE(SVRCONN) MAXMSGL(104857600) MCAUSER('checks') REPLACE");
        var factory = factory();
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "LARGE");
        try (JMSContext large = factory.createContext()) {
            Queue there = large.createQueue("CHECKS.LARGE");
            for (int mebibytes : new int[] {5, 40}) {
                byte[] data = new byte[mebibytes << 20];
                for (int index = 0; index < data.length; index++) {
                    data[index] = (byte) (index >> 8 ^ index);
                }
                large.createProducer().send(there, data);
                BytesMessage found = (BytesMessage) receive(large, there);
                Expect.equal((long) data.length, found.getBodyLength());
                Expect.that(Arrays.equals(data, found.getBody(byte[].class)), "other bytes");
            }
        }
    }

    public void aReceivedMessageIsReadOnly() throws Exception {
        context.createProducer().setProperty("colour", "red").send(queue, "x");
        Message found = there();
        Exception error = failed(() -> found.setStringProperty("colour", "blue"));
        Expect.that(error instanceof MessageNotWriteableException, "" + error);
        found.clearProperties();
        found.setStringProperty("colour", "blue");
        context.createProducer().send(queue, found);
        Expect.equal("blue", there().getStringProperty("colour"));
    }

    private static Exception failed(Expect.Action action) {
        try {
            action.run();
            return null;
        } catch (Exception error) {
            return error;
        }
    }

    public void wrongBodiesAreRefused() throws Exception {
        context.createProducer().send(queue, "text");
        Message found = there();
        Expect.that(failed(() -> found.getBody(java.util.Map.class)) != null, "a text is a map");
        fails(MessageFormatRuntimeException.class, () -> context.createProducer().setProperty("x", new Object()));
    }

    public void aFullQueueFails() throws Exception {
        fails(JMSRuntimeException.class, () -> context.createProducer().send(context.createQueue("CHECKS.FULL"), "x"));
    }

    public void propertyNamesAreListed() throws Exception {
        context.createProducer().setProperty("one", 1).setProperty("two", "2").send(queue, "x");
        Message found = there();
        Set<Object> names = new HashSet<>();
        for (var each = found.getPropertyNames(); each.hasMoreElements(); ) {
            names.add(each.nextElement());
        }
        Expect.that(names.contains("one") && names.contains("two") && names.contains("JMSXDeliveryCount"), "" + names);
        Expect.equal("checks", found.getStringProperty("JMSXUserID").trim());
        Expect.equal("checks", found.getStringProperty("JMSXAppID").trim());
    }

    public void anAliasQueueLeadsOn() throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.JMS.BASE) REPLACE");
        Console.mqsc("DEFINE QALIAS(CHECKS.JMS.ALIAS) TARGET(CHECKS.JMS.BASE) REPLACE");
        context.createProducer().send(context.createQueue("CHECKS.JMS.ALIAS"), "x");
        Expect.equal("x", text(receive(context, context.createQueue("CHECKS.JMS.BASE"))));
    }

    public void queuesOfOtherQueueManagersAreNamed() throws Exception {
        Console.mqsc("DEFINE QREMOTE(CHECKS.JMS.HERE) RNAME(' ') RQMNAME(" + place.queueManager() + ") REPLACE");
        Console.mqsc("DEFINE QREMOTE(CHECKS.JMS.THERE) RNAME(' ') RQMNAME(ELSEWHERE) XMITQ(CHECKS.XMITQ) REPLACE");
        Console.mqsc("DEFINE QLOCAL(CHECKS.JMS.NAMED) REPLACE");
        context.createProducer().send(context.createQueue("queue://CHECKS.JMS.THERE/CHECKS.JMS.NAMED"), "there");
        context.createProducer().send(context.createQueue("queue://CHECKS.JMS.HERE/CHECKS.JMS.NAMED"), "here");
        Expect.equal("here", text(receive(context, context.createQueue("queue://CHECKS.JMS.HERE/CHECKS.JMS.NAMED"))));
    }
}
