package mqbridge.checks;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import javax.jms.BytesMessage;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageEOFException;
import javax.jms.ObjectMessage;
import javax.jms.Queue;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;

/** Kinds of messages, their headers and properties. */
public class JmsMessages extends JmsProgram {
    public JmsMessages(Place place) {
        super(place);
    }

    public void textTravels() throws Exception {
        try (JMSContext context = context()) {
            Expect.equal("hello", text(there(context, context.createTextMessage("hello"))));
            Expect.equal("Grüße, 世界, 🙂", text(there(context, context.createTextMessage("Grüße, 世界, 🙂"))));
            Expect.equal("", text(there(context, context.createTextMessage(""))));
        }
    }

    public void aTextWithoutTextTravels() throws Exception {
        try (JMSContext context = context()) {
            Expect.equal(null, ((TextMessage) there(context, context.createTextMessage())).getText());
        }
    }

    public void bytesTravel() throws Exception {
        try (JMSContext context = context()) {
            BytesMessage message = context.createBytesMessage();
            message.writeInt(-42);
            message.writeUTF("text");
            message.writeDouble(2.5);
            message.writeBytes(new byte[] {0, -1, 127});
            BytesMessage found = (BytesMessage) there(context, message);
            Expect.equal(-42, found.readInt());
            Expect.equal("text", found.readUTF());
            Expect.equal(2.5, found.readDouble());
            byte[] rest = new byte[3];
            Expect.equal(3, found.readBytes(rest));
            Expect.equal(new byte[] {0, -1, 127}, rest);
        }
    }

    public void aMapTravels() throws Exception {
        try (JMSContext context = context()) {
            MapMessage message = context.createMapMessage();
            message.setString("text", "a <b> & 'c'");
            message.setInt("number", 7);
            message.setBoolean("flag", true);
            message.setBytes("bytes", new byte[] {1, 2, 3});
            message.setLong("long", Long.MIN_VALUE);
            MapMessage found = (MapMessage) there(context, message);
            Expect.equal("a <b> & 'c'", found.getString("text"));
            Expect.equal(7, found.getInt("number"));
            Expect.equal(true, found.getBoolean("flag"));
            Expect.equal(new byte[] {1, 2, 3}, found.getBytes("bytes"));
            Expect.equal(Long.MIN_VALUE, found.getLong("long"));
        }
    }

    public void aStreamTravels() throws Exception {
        try (JMSContext context = context()) {
            StreamMessage message = context.createStreamMessage();
            message.writeString("one");
            message.writeInt(2);
            message.writeChar('3');
            StreamMessage found = (StreamMessage) there(context, message);
            Expect.equal("one", found.readString());
            Expect.equal(2, found.readInt());
            Expect.equal('3', found.readChar());
            fails(MessageEOFException.class, found::readString);
        }
    }

    public void anObjectTravels() throws Exception {
        try (JMSContext context = context()) {
            ArrayList<String> object = new ArrayList<>(List.of("a", "b"));
            ObjectMessage found = (ObjectMessage) there(context, context.createObjectMessage((Serializable) object));
            Expect.equal(object, found.getObject());
        }
    }

    public void anEmptyMessageTravels() throws Exception {
        try (JMSContext context = context()) {
            Message message = context.createMessage();
            message.setStringProperty("only", "this");
            Expect.equal("this", there(context, message).getStringProperty("only"));
        }
    }

    public void propertiesKeepTheirTypes() throws Exception {
        try (JMSContext context = context()) {
            Message message = context.createTextMessage("x");
            message.setBooleanProperty("aBoolean", true);
            message.setByteProperty("aByte", (byte) -8);
            message.setShortProperty("aShort", (short) -300);
            message.setIntProperty("anInt", 1 << 30);
            message.setLongProperty("aLong", 1L << 60);
            message.setFloatProperty("aFloat", 1.5f);
            message.setDoubleProperty("aDouble", 0.1);
            message.setStringProperty("aString", "with <angles> & \"quotes\"");
            Message found = there(context, message);
            Expect.equal(true, found.getObjectProperty("aBoolean"));
            Expect.equal((byte) -8, found.getObjectProperty("aByte"));
            Expect.equal((short) -300, found.getObjectProperty("aShort"));
            Expect.equal(1 << 30, found.getObjectProperty("anInt"));
            Expect.equal(1L << 60, found.getObjectProperty("aLong"));
            Expect.equal(1.5f, found.getObjectProperty("aFloat"));
            Expect.equal(0.1, found.getObjectProperty("aDouble"));
            Expect.equal("with <angles> & \"quotes\"", found.getObjectProperty("aString"));
        }
    }

    public void headersTravel() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            Queue replies = context.createQueue("DEV.QUEUE.1");
            Message message = context.createTextMessage("x");
            message.setJMSCorrelationID("my own id");
            message.setJMSReplyTo(replies);
            message.setJMSType("kind");
            JMSProducer producer = context.createProducer().setPriority(8).setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            long before = System.currentTimeMillis();
            producer.setTimeToLive(60_000).send(queue, message);
            Message found = receive(context, queue);
            Expect.equal("my own id", found.getJMSCorrelationID());
            Expect.equal("kind", found.getJMSType());
            Expect.equal(8, found.getJMSPriority());
            Expect.equal(DeliveryMode.NON_PERSISTENT, found.getJMSDeliveryMode());
            Expect.equal(message.getJMSMessageID(), found.getJMSMessageID());
            Expect.that(found.getJMSExpiration() > before + 50_000, "expiration");
            Expect.that(Math.abs(found.getJMSTimestamp() - before) < 10_000, "time stamp");
            Expect.that(((Queue) found.getJMSReplyTo()).getQueueName().contains("DEV.QUEUE.1"), "reply to");
            Expect.equal(false, found.getJMSRedelivered());
        }
    }

    public void systemPropertiesAreThere() throws Exception {
        try (JMSContext context = context()) {
            Message found = there(context, context.createTextMessage("x"));
            Expect.equal(1, found.getIntProperty("JMSXDeliveryCount"));
            Expect.equal("MQSTR   ".trim(), found.getStringProperty("JMS_IBM_Format").trim());
            Expect.that(found.getStringProperty("JMSXAppID") != null, "JMSXAppID");
            Expect.that(found.propertyExists("JMS_IBM_PutDate"), "JMS_IBM_PutDate");
        }
    }

    public void anExpiredMessageIsGone() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().setTimeToLive(200).send(queue, "short");
            Thread.sleep(500);
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void aDelayedMessageComesLater() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            JMSProducer later = context.createProducer().setDeliveryDelay(1500).setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            long sent = System.currentTimeMillis();
            later.send(queue, "later");
            context.createProducer().send(queue, "now");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("now", text(consumer.receive(PATIENCE)));
                Message found = consumer.receiveNoWait();
                Expect.that(found == null || System.currentTimeMillis() - sent >= 1450, "it came at once");
                if (found == null) {
                    found = consumer.receive(PATIENCE);
                }
                Expect.equal("later", text(found));
                Expect.that(System.currentTimeMillis() - sent >= 1450, "it came too early");
                Expect.that(Math.abs(found.getJMSDeliveryTime() - sent - 1500) < 5_000, "delivery time");
            }
        }
    }

    public void aDelayedMessageNeedsItsCommit() throws Exception {
        try (JMSContext context = context(JMSContext.SESSION_TRANSACTED); JMSContext other = context()) {
            Queue queue = other.createTemporaryQueue();
            JMSProducer later = context.createProducer().setDeliveryDelay(100).setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            later.send(queue, "undone");
            context.rollback();
            later.send(queue, "kept");
            try (JMSConsumer consumer = other.createConsumer(queue)) {
                Expect.equal(null, consumer.receive(300));
                context.commit();
                Expect.equal("kept", text(consumer.receive(PATIENCE)));
                Expect.equal(null, consumer.receiveNoWait());
            }
        }
    }

    public void higherPrioritiesComeFirst() throws Exception {
        try (JMSContext context = context()) {
            Queue queue = context.createTemporaryQueue();
            context.createProducer().setPriority(2).send(queue, "low");
            context.createProducer().setPriority(9).send(queue, "high");
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                Expect.equal("high", text(consumer.receive(PATIENCE)));
                Expect.equal("low", text(consumer.receive(PATIENCE)));
            }
        }
    }

    public void largeMessagesTravel() throws Exception {
        try (JMSContext context = context()) {
            for (int size : new int[] {32_000, 32_768, 100_000, 3 << 20}) {
                byte[] data = new byte[size];
                for (int index = 0; index < size; index++) {
                    data[index] = (byte) (index * 7);
                }
                BytesMessage message = context.createBytesMessage();
                message.writeBytes(data);
                byte[] found = there(context, message).getBody(byte[].class);
                Expect.equal(data, found);
            }
        }
    }
}
