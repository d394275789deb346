package demo;

import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;

/** Where a program connects, by which client library. */
enum Provider {
    /** IBM's JMS client to mqbridge. */
    IBM {
        @Override
        ConnectionFactory factory(int port, String user, String password) throws JMSException {
            JmsConnectionFactory factory =
                    JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER).createConnectionFactory();
            factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, HOST);
            factory.setIntProperty(WMQConstants.WMQ_PORT, port);
            factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEMO");
            factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
            return factory;
        }
    },

    /** Qpid JMS to Artemis. */
    QPID {
        @Override
        ConnectionFactory factory(int port, String user, String password) {
            String options = "jms.requestTimeout=20000&jms.closeTimeout=2000"
                    + "&jms.deserializationPolicy.allowList=java.lang,java.math,java.util";
            org.apache.qpid.jms.JmsConnectionFactory factory =
                    new org.apache.qpid.jms.JmsConnectionFactory("amqp://" + HOST + ":" + port + "?" + options);
            factory.setUsername(user);
            factory.setPassword(password);
            return factory;
        }
    };

    private static final String HOST = "127.0.0.1";

    abstract ConnectionFactory factory(int port, String user, String password) throws JMSException;
}
