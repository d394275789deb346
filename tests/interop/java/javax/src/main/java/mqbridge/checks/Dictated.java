package mqbridge.checks;

import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.jms.BytesMessage;
import javax.jms.Destination;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.StreamMessage;
import javax.jms.TextMessage;

/**
 * A message as lines say it, in the form in which {@link Described} prints one: {@code name TAB type TAB value}.
 *
 * <p>{@code kind}; {@code body}, of a map {@code body[NAME]} for each entry, of a stream {@code body[NUMBER]} in order; {@code .NAME} for a
 * property; {@code JMSType}, {@code JMSCorrelationID} (a string, or bytes as bin.hex), {@code JMSReplyTo}. How it is sent: {@code JMSDeliveryMode},
 * {@code JMSPriority}, {@code timeToLive} and {@code deliveryDelay} in milliseconds. Other lines say what the send sets, and
 * are passed over. Texts have {@code \}{@code uXXXX} for a UTF-16 unit.
 */
final class Dictated {
    private static final Pattern UNIT = Pattern.compile("\\\\u([0-9a-f]{4})");

    private Dictated() {}

    /** One line. */
    private record Fact(String name, Object value) {
        static Fact of(String line) {
            String[] parts = line.split("\t", 3);
            return new Fact(unescaped(parts[0]), read(parts[1], parts.length < 3 ? "" : parts[2]));
        }

        /** What stands behind the prefix; of an entry of a map without the bracket that closes it. */
        String rest(String prefix) {
            return name.substring(prefix.length(), name.length() - (prefix.endsWith("[") ? 1 : 0));
        }
    }

    /** Makes a message and sends it; a null {@code replyTo} leaves it to the lines. */
    static Message sent(
            JMSContext context,
            Function<String, Destination> destinations,
            Destination to,
            Destination replyTo,
            List<String> lines)
            throws Exception {
        List<Fact> facts = new ArrayList<>();
        for (String line : lines) {
            facts.add(Fact.of(line));
        }
        JMSProducer producer = context.createProducer();
        Message message = made(context, facts);
        for (Fact fact : facts) {
            set(message, producer, destinations, fact);
        }
        if (replyTo != null) {
            message.setJMSReplyTo(replyTo);
        }
        producer.send(to, message);
        return message;
    }

    private static Message made(JMSContext context, List<Fact> facts) throws Exception {
        Object body = value(facts, "body");
        switch ((String) value(facts, "kind")) {
            case "text":
                TextMessage text = context.createTextMessage();
                text.setText((String) body);
                return text;
            case "bytes":
                BytesMessage bytes = context.createBytesMessage();
                bytes.writeBytes((byte[]) body);
                return bytes;
            case "object":
                return context.createObjectMessage(body == null ? null : object((byte[]) body));
            case "map":
                MapMessage map = context.createMapMessage();
                for (Fact fact : entries(facts)) {
                    map.setObject(fact.rest("body["), fact.value());
                }
                return map;
            case "stream":
                StreamMessage stream = context.createStreamMessage();
                for (Fact fact : entries(facts)) {
                    stream.writeObject(fact.value());
                }
                return stream;
            default:
                return context.createMessage();
        }
    }

    private static Object value(List<Fact> facts, String name) {
        for (Fact fact : facts) {
            if (fact.name().equals(name)) {
                return fact.value();
            }
        }
        return null;
    }

    private static List<Fact> entries(List<Fact> facts) {
        return facts.stream().filter(fact -> fact.name().startsWith("body[")).toList();
    }

    private static Serializable object(byte[] data) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(data))) {
            return (Serializable) in.readObject();
        }
    }

    private static void set(
            Message message, JMSProducer producer, Function<String, Destination> destinations, Fact fact)
            throws Exception {
        Object value = fact.value();
        switch (fact.name()) {
            case "JMSType" -> message.setJMSType((String) value);
            case "JMSCorrelationID" -> {
                if (value instanceof byte[] bytes) {
                    message.setJMSCorrelationIDAsBytes(bytes);
                } else {
                    message.setJMSCorrelationID((String) value);
                }
            }
            case "JMSReplyTo" -> message.setJMSReplyTo(value == null ? null : destinations.apply((String) value));
            case "JMSDeliveryMode" -> producer.setDeliveryMode((Integer) value);
            case "JMSPriority" -> producer.setPriority((Integer) value);
            case "timeToLive" -> producer.setTimeToLive((Long) value);
            case "deliveryDelay" -> producer.setDeliveryDelay((Long) value);
            default -> {
                if (fact.name().startsWith(".")) {
                    message.setObjectProperty(fact.rest("."), value);
                }
            }
        }
    }

    private static Object read(String type, String value) {
        return switch (type) {
            case "null" -> null;
            case "string" -> unescaped(value);
            case "boolean" -> Boolean.valueOf(value);
            case "i1" -> Byte.valueOf(value);
            case "i2" -> Short.valueOf(value);
            case "i4" -> Integer.valueOf(value);
            case "i8" -> Long.valueOf(value);
            case "r4" -> Float.intBitsToFloat(Integer.parseUnsignedInt(value, 16));
            case "r8" -> Double.longBitsToDouble(Long.parseUnsignedLong(value, 16));
            case "char" -> unescaped(value).charAt(0);
            case "bin.hex" -> HexFormat.of().parseHex(value);
            default -> throw new IllegalArgumentException(type);
        };
    }

    private static String unescaped(String text) {
        Matcher units = UNIT.matcher(text);
        return units.replaceAll(unit ->
                Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(unit.group(1), 16))));
    }
}
