import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;

/** Sends a message to a queue and receives it; the port may be given. */
public class SendAndReceive {
    public static void main(String[] arguments) throws Exception {
        JmsConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1414);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        try (JMSContext context = factory.createContext()) {
            Queue queue = context.createQueue("queue:///DEV.QUEUE.1");
            context.createProducer().setProperty("colour", "red").send(queue, "hello");
            System.out.println(context.createConsumer(queue, "colour = 'red'").receiveBody(String.class, 1000));
        }
    }
}
