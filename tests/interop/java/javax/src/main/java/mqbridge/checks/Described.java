package mqbridge.checks;

import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import javax.jms.BytesMessage;
import javax.jms.Destination;
import javax.jms.JMSException;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageEOFException;
import javax.jms.ObjectMessage;
import javax.jms.StreamMessage;
import javax.jms.TemporaryQueue;
import javax.jms.TemporaryTopic;
import javax.jms.TextMessage;
import javax.jms.Topic;

/** What the client library reads in a message, a line for each fact: {@code name TAB type TAB value}. */
final class Described {
    private static final int LONGEST = 2000;

    private final List<String> lines = new ArrayList<>();

    /** Something that a message is asked for. */
    private interface Question {
        Object answer() throws Exception;
    }

    static List<String> lines(Message message) throws JMSException {
        Described described = new Described();
        described.fact("kind", () -> kind(message));
        described.headers(message);
        described.properties(message);
        described.body(message);
        return described.lines;
    }

    static String kind(Message message) {
        if (message instanceof TextMessage) {
            return "text";
        } else if (message instanceof BytesMessage) {
            return "bytes";
        } else if (message instanceof MapMessage) {
            return "map";
        } else if (message instanceof StreamMessage) {
            return "stream";
        } else if (message instanceof ObjectMessage) {
            return "object";
        }
        return "none";
    }

    private void headers(Message message) {
        fact("JMSMessageID", message::getJMSMessageID);
        fact("JMSTimestamp", message::getJMSTimestamp);
        fact("JMSCorrelationID", message::getJMSCorrelationID);
        fact("JMSReplyTo", () -> uri(message.getJMSReplyTo()));
        fact("JMSDestination", () -> uri(message.getJMSDestination()));
        fact("JMSDeliveryMode", message::getJMSDeliveryMode);
        fact("JMSRedelivered", message::getJMSRedelivered);
        fact("JMSType", message::getJMSType);
        fact("JMSExpiration", message::getJMSExpiration);
        fact("JMSPriority", message::getJMSPriority);
        fact("JMSDeliveryTime", message::getJMSDeliveryTime);
    }

    private void properties(Message message) throws JMSException {
        for (String name : sorted(message.getPropertyNames())) {
            fact("." + name, () -> message.getObjectProperty(name));
        }
    }

    private void body(Message message) throws JMSException {
        if (message instanceof TextMessage text) {
            fact("body", text::getText);
        } else if (message instanceof BytesMessage bytes) {
            fact("body", () -> {
                bytes.reset();
                byte[] data = new byte[(int) bytes.getBodyLength()];
                bytes.readBytes(data);
                return data;
            });
        } else if (message instanceof MapMessage map) {
            fact("body", () -> {
                List<String> names = sorted(map.getMapNames());
                for (String name : names) {
                    fact("body[" + escaped(name) + "]", () -> map.getObject(name));
                }
                return names.size();
            });
        } else if (message instanceof StreamMessage stream) {
            fact("body", () -> {
                stream.reset();
                int count = 0;
                while (true) {
                    Object value;
                    try {
                        value = stream.readObject();
                    } catch (MessageEOFException end) {
                        return count;
                    }
                    fact("body[" + count++ + "]", () -> value);
                }
            });
        } else if (message instanceof ObjectMessage object) {
            fact("body", () -> {
                ByteArrayOutputStream data = new ByteArrayOutputStream();
                try (ObjectOutputStream out = new ObjectOutputStream(data)) {
                    out.writeObject(object.getObject());
                }
                return data.toByteArray();
            });
        }
    }

    private static List<String> sorted(Enumeration<?> names) {
        List<String> sorted = new ArrayList<>();
        while (names.hasMoreElements()) {
            sorted.add((String) names.nextElement());
        }
        Collections.sort(sorted);
        return sorted;
    }

    private void fact(String name, Question question) {
        Object answer;
        try {
            answer = question.answer();
        } catch (Exception error) {
            lines.add(name + "\terror\t" + error.getClass().getSimpleName());
            return;
        }
        lines.add(name + "\t" + typed(answer));
    }

    /** A destination as its library writes it, with a scheme where that writes none. */
    private static String uri(Destination destination) {
        if (destination == null || destination.toString().contains("://")) {
            return destination == null ? null : destination.toString();
        }
        boolean temporary = destination instanceof TemporaryQueue || destination instanceof TemporaryTopic;
        return (temporary ? "temporary-" : "") + (destination instanceof Topic ? "topic://" : "queue://") + destination;
    }

    private static String typed(Object value) {
        if (value == null) {
            return "null\t";
        } else if (value instanceof String text) {
            return "string\t" + shortened(escaped(text));
        } else if (value instanceof byte[] bytes) {
            return "bin.hex\t" + shortened(HexFormat.of().formatHex(bytes));
        } else if (value instanceof Boolean) {
            return "boolean\t" + value;
        } else if (value instanceof Byte) {
            return "i1\t" + value;
        } else if (value instanceof Short) {
            return "i2\t" + value;
        } else if (value instanceof Integer) {
            return "i4\t" + value;
        } else if (value instanceof Long) {
            return "i8\t" + value;
        } else if (value instanceof Float number) {
            return "r4\t" + String.format("%08x", Float.floatToIntBits(number));
        } else if (value instanceof Double number) {
            return "r8\t" + String.format("%016x", Double.doubleToLongBits(number));
        } else if (value instanceof Character) {
            return "char\t" + escaped(value.toString());
        }
        return value.getClass().getName() + "\t" + escaped(value.toString());
    }

    private static String escaped(String text) {
        StringBuilder made = new StringBuilder();
        for (char unit : text.toCharArray()) {
            if (unit > ' ' && unit < 127 && unit != '\\' || unit == ' ') {
                made.append(unit);
            } else {
                made.append(String.format("\\u%04x", (int) unit));
            }
        }
        return made.toString();
    }

    private static String shortened(String text) {
        if (text.length() <= LONGEST) {
            return text;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return text.length() + " " + HexFormat.of().formatHex(digest);
        } catch (java.security.NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }
}
