package orders;

import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.handler.annotation.Header;

/** Orders come by one queue and shipments go by another, in one transaction. */
@SpringBootApplication
public class Application {
    private static final String ORDERS = "DEV.QUEUE.1";
    private static final String SHIPMENTS = "DEV.QUEUE.2";

    private final JmsTemplate jms;

    Application(JmsTemplate jms) {
        this.jms = jms;
        jms.setReceiveTimeout(10_000);
    }

    public static void main(String[] arguments) {
        SpringApplication.run(Application.class, arguments).close();
    }

    /** The first try fails: its shipment is rolled back, the order comes again. */
    @JmsListener(destination = ORDERS)
    void ship(String order, @Header("JMSXDeliveryCount") int delivery) {
        System.out.println("delivery " + delivery + " of " + order);
        jms.convertAndSend(SHIPMENTS, "shipped at try " + delivery + ": " + order);
        if (delivery == 1) {
            throw new IllegalStateException("out of cardboard");
        }
    }

    @Bean
    CommandLineRunner order() {
        return arguments -> {
            jms.convertAndSend(ORDERS, "250 screws");
            System.out.println(jms.receiveAndConvert(SHIPMENTS));
        };
    }
}
