package mqbridge.bench;

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.ConnectionFactory;
import javax.jms.JMSException;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** Connection factories of the JMS clients, as their makers deliver them. */
final class Factories {
    private Factories() {}

    static ConnectionFactory ibm(String host, int port, String channel) throws JMSException {
        JmsConnectionFactory factory =
            JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, host);
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, channel);
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        return factory;
    }

    /** The same inside TLS, with a cipher suite by its IANA name; trusted is what the JVM's trust store has. */
    static ConnectionFactory ibm(String host, int port, String channel, String cipherSuite) throws JMSException {
        JmsConnectionFactory factory = (JmsConnectionFactory) ibm(host, port, channel);
        factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, cipherSuite);
        return factory;
    }

    static ConnectionFactory artemis(String host, int port) {
        return new ActiveMQConnectionFactory("tcp://" + host + ":" + port);
    }

    /** The same inside TLS 1.3. */
    static ConnectionFactory artemis(String host, int port, String cipherSuite) {
        String secured = "?sslEnabled=true&enabledProtocols=TLSv1.3&enabledCipherSuites=" + cipherSuite;
        return new ActiveMQConnectionFactory("tcp://" + host + ":" + port + secured);
    }

    /** AMQP 1.0. */
    static ConnectionFactory qpid(String host, int port) {
        return new org.apache.qpid.jms.JmsConnectionFactory("amqp://" + host + ":" + port);
    }
}
