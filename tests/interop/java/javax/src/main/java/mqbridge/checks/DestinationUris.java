package mqbridge.checks;

import com.ibm.mq.jms.MQDestination;
import com.ibm.mq.jms.MQQueue;
import com.ibm.mq.jms.MQTopic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.jms.JMSException;

/**
 * Says what the classes for JMS make of destinations; no queue manager is needed.
 *
 * <p>One wish a line on standard input: {@code queue URI}, {@code topic URI}, or {@code write VALUE} for the URI of a queue whose ibmRoutingPath has
 * that value. One line of answers on standard output, parted by tabs; {@code refused} where there is none.
 */
public final class DestinationUris {
    private static final String PATH = "ibmRoutingPath";

    private DestinationUris() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int blank = line.indexOf(' ');
            try {
                out.println(String.join("\t", answer(line.substring(0, blank), line.substring(blank + 1))));
            } catch (JMSException | IllegalArgumentException refused) {
                out.println("refused");
            }
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static List<String> answer(String word, String text) throws JMSException {
        if (word.equals("write")) {
            MQQueue queue = new MQQueue("QM", "Q");
            queue.setStringProperty(PATH, text);
            return List.of(queue.getQueueName());
        }
        if (word.equals("topic")) {
            MQTopic topic = new MQTopic(text);
            return fields("", topic.getBaseTopicName(), topic);
        }
        MQQueue queue = new MQQueue(text);
        return fields(queue.getBaseQueueManagerName(), queue.getBaseQueueName(), queue);
    }

    private static List<String> fields(String queueManager, String name, MQDestination destination)
            throws JMSException {
        String path = destination.propertyExists(PATH) ? destination.getStringProperty(PATH) : "";
        return List.of(
                queueManager,
                name,
                String.valueOf(destination.getPriority()),
                String.valueOf(destination.getPersistence()),
                String.valueOf(destination.getExpiry()),
                String.valueOf(destination.getTargetClient()),
                String.valueOf(destination.getMessageBodyStyle()),
                String.valueOf(destination.getMQMDMessageContext()),
                String.valueOf(destination.getMQMDReadEnabled()),
                String.valueOf(destination.getMQMDWriteEnabled()),
                path);
    }
}
