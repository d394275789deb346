package demo;

import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Messages of each type in turn, with headers and properties of every type; a number makes the same one each time. */
final class Orders {
    private static final String[] TYPES = {"text", "bytes", "map", "stream", "object", "plain", "request"};
    private static final String UNICODE = "Grüße, 世界, 🙂 <&> \"' \\ ";
    private static final int LARGEST = 4096;
    private static final long DAY = 86_400_000;

    private Orders() {}

    /** Makes message {@code number}; a request names {@code answers} for its reply. */
    static Message make(Session session, int number, Destination answers) throws JMSException {
        Random random = new Random(number);
        String type = TYPES[number % TYPES.length];
        Message message =
                switch (type) {
                    case "bytes" -> bytes(session, random);
                    case "map" -> map(session, random);
                    case "stream" -> stream(session, random);
                    case "object" -> session.createObjectMessage(new ArrayList<>(
                            List.of(number, UNICODE, new BigDecimal("12.5"), random.nextLong())));
                    case "plain" -> session.createMessage();
                    default -> session.createTextMessage(text(random));
                };
        name(message, type, number);
        properties(message, random);
        message.setJMSType("order " + number % 3);
        if (type.equals("request")) {
            message.setJMSReplyTo(answers);
        } else {
            message.setJMSCorrelationID("order " + number + " \u20ac");
        }
        if (number % 3 == 0) {
            message.setStringProperty("JMSXGroupID", "customer " + number % 5);
            message.setIntProperty("JMSXGroupSeq", 1 + number % 50);
        }
        return message;
    }

    /** Makes the reply to a request. */
    static Message reply(Session session, Message request) throws JMSException {
        int number = request.getIntProperty("number");
        Message message = session.createTextMessage("answer to " + request.getBody(String.class));
        name(message, "reply", number);
        properties(message, new Random(number));
        message.setJMSCorrelationID(request.getJMSMessageID());
        return message;
    }

    /** Number of requests among the first messages. */
    static int requests(int messages) {
        return (messages + 1) / TYPES.length;
    }

    static int priority(int number) {
        return number % 10;
    }

    static long timeToLive(int number) {
        return number % 4 == 0 ? DAY + number : 0;
    }

    private static void name(Message message, String type, int number) throws JMSException {
        message.setStringProperty("type", type);
        message.setIntProperty("number", number);
    }

    private static void properties(Message message, Random random) throws JMSException {
        message.setBooleanProperty("aBoolean", random.nextBoolean());
        message.setByteProperty("aByte", (byte) random.nextInt());
        message.setShortProperty("aShort", (short) random.nextInt());
        message.setIntProperty("anInt", random.nextInt());
        message.setLongProperty("aLong", random.nextLong());
        message.setFloatProperty("aFloat", random.nextFloat());
        message.setDoubleProperty("aDouble", random.nextGaussian());
        message.setStringProperty("aString", UNICODE + random.nextInt());
    }

    private static String text(Random random) {
        return UNICODE.repeat(random.nextInt(LARGEST / UNICODE.length())) + random.nextInt();
    }

    private static byte[] data(Random random) {
        byte[] data = new byte[random.nextInt(LARGEST)];
        random.nextBytes(data);
        return data;
    }

    private static BytesMessage bytes(Session session, Random random) throws JMSException {
        BytesMessage message = session.createBytesMessage();
        message.writeBytes(data(random));
        return message;
    }

    private static MapMessage map(Session session, Random random) throws JMSException {
        MapMessage message = session.createMapMessage();
        message.setBoolean("paid", random.nextBoolean());
        message.setByte("shelf", (byte) random.nextInt());
        message.setShort("row", (short) random.nextInt());
        message.setChar("size", (char) ('A' + random.nextInt(26)));
        message.setInt("count", random.nextInt());
        message.setLong("customer", random.nextLong());
        message.setFloat("weight", random.nextFloat());
        message.setDouble("price", random.nextDouble());
        message.setString("item", text(random));
        message.setString("discount", null);
        message.setBytes("picture", data(random));
        return message;
    }

    private static StreamMessage stream(Session session, Random random) throws JMSException {
        StreamMessage message = session.createStreamMessage();
        message.writeBoolean(random.nextBoolean());
        message.writeByte((byte) random.nextInt());
        message.writeShort((short) random.nextInt());
        message.writeChar((char) ('a' + random.nextInt(26)));
        message.writeInt(random.nextInt());
        message.writeLong(random.nextLong());
        message.writeFloat(random.nextFloat());
        message.writeDouble(random.nextDouble());
        message.writeString(text(random));
        message.writeString(null);
        message.writeBytes(data(random));
        return message;
    }
}
