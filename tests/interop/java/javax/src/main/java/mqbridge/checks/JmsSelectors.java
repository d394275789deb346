package mqbridge.checks;

import java.util.ArrayList;
import java.util.List;
import javax.jms.DeliveryMode;
import javax.jms.InvalidSelectorRuntimeException;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.Queue;
import javax.jms.QueueBrowser;

/** Selectors: every operator, on properties and headers, in consumers and browsers. */
public class JmsSelectors extends JmsProgram {
    private final JMSContext context = context();
    private final Queue queue = context.createTemporaryQueue();

    public JmsSelectors(Place place) throws JMSException {
        super(place);
    }

    @Override
    void end() {
        context.close();
    }

    /** Five messages 0 to 4; what they have besides a number depends on it. */
    private void fill() throws JMSException {
        String[] colours = {"red", "green", "blue", "re_d", null};
        for (int number = 0; number < colours.length; number++) {
            Message message = context.createTextMessage(String.valueOf(number));
            message.setIntProperty("number", number);
            message.setDoubleProperty("half", number / 2.0);
            message.setBooleanProperty("even", number % 2 == 0);
            if (colours[number] != null) {
                message.setStringProperty("colour", colours[number]);
            }
            context.createProducer().send(queue, message);
        }
    }

    /** Which messages a selector chooses from the queue, which keeps them. */
    private String chosen(String selector) throws JMSException {
        List<String> found = new ArrayList<>();
        try (QueueBrowser browser = context.createBrowser(queue, selector)) {
            for (var messages = browser.getEnumeration(); messages.hasMoreElements(); ) {
                found.add(text((Message) messages.nextElement()));
            }
        }
        return String.join("", found);
    }

    private void chooses(String expected, String... selectors) throws JMSException {
        for (String selector : selectors) {
            String found = chosen(selector);
            Expect.that(expected.equals(found), selector + ": expected " + expected + ", found " + found);
        }
    }

    public void numbersAreCompared() throws Exception {
        fill();
        chooses("2", "number = 2", "number = 2.0", "half = 1", "number = 2L", "number = 0x2", "number = 2E0");
        chooses("0134", "number <> 2");
        chooses("01", "number < 2", "half < 1");
        chooses("012", "number <= 2");
        chooses("34", "number > 2", "2 < number");
        chooses("234", "number >= 2");
    }

    public void numbersAreReckonedWith() throws Exception {
        fill();
        chooses("3", "number + 1 = 4", "number * 2 - 1 = 5", "(number + 1) / 2.0 = 2", "-number = -3", "number = +3");
        chooses("4", "number + 2 * 2 = 8");
        chooses("34", "(number + 1) / 2 = 2");
        chooses("13", "half * 2 = number AND NOT even");
    }

    public void betweenIsInclusive() throws Exception {
        fill();
        chooses("123", "number BETWEEN 1 AND 3");
        chooses("04", "number NOT BETWEEN 1 AND 3");
        chooses("", "number BETWEEN 3 AND 1");
        chooses("23", "half between 1 and 1.5");
    }

    public void stringsAreEqualOrNot() throws Exception {
        fill();
        chooses("0", "colour = 'red'");
        chooses("123", "colour <> 'red'");
        chooses("", "colour = 'RED'", "Colour = 'red'");
    }

    public void inNamesSeveral() throws Exception {
        fill();
        chooses("02", "colour IN ('red', 'blue')");
        chooses("13", "colour NOT IN ('red', 'blue')");
        chooses("0", "colour in ('red')");
    }

    public void likeKnowsPatterns() throws Exception {
        fill();
        chooses("03", "colour LIKE 're%'");
        chooses("0", "colour LIKE '_ed'", "colour LIKE 'r_d'");
        chooses("3", "colour LIKE '%\\_%' ESCAPE '\\'", "colour LIKE 're!_d' ESCAPE '!'");
        chooses("12", "colour NOT LIKE 'r%'");
        chooses("0123", "colour LIKE '%'");
    }

    public void nothingIsNull() throws Exception {
        fill();
        chooses("4", "colour IS NULL");
        chooses("0123", "colour IS NOT NULL");
        chooses("01234", "missing IS NULL");
    }

    public void theUnknownIsNeitherTrueNorFalse() throws Exception {
        fill();
        chooses("", "missing = 1", "NOT (missing = 1)", "missing = missing", "missing <> 1");
        chooses("0", "missing = 1 OR number = 0");
        chooses("", "missing = 1 AND number = 0");
        chooses("1234", "NOT (missing = 1 AND number = 0) AND number > 0");
    }

    public void booleansStandAlone() throws Exception {
        fill();
        chooses("024", "even", "even = TRUE", "even <> FALSE", "NOT (even = FALSE)");
        chooses("13", "NOT even", "even = FALSE");
    }

    public void orBindsLessThanAnd() throws Exception {
        fill();
        chooses("01", "number = 0 OR number = 1 AND colour = 'green'", "number = 0 or (number = 1 and not even)");
        chooses("1", "(number = 0 OR number = 1) AND colour = 'green'");
    }

    public void typesDoNotMix() throws Exception {
        fill();
        chooses("", "colour = 1", "number = 'x'", "even = 1");
    }

    public void quotesAreDoubled() throws Exception {
        context.createProducer().setProperty("who", "it's").send(queue, "q");
        chooses("q", "who = 'it''s'");
    }

    public void headersAreSelected() throws Exception {
        context.createProducer().setPriority(7).setJMSType("kind").setJMSCorrelationID("corr").send(queue, "7");
        context.createProducer().setPriority(2).setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(queue, "2");
        chooses("7", "JMSPriority > 5", "JMSType = 'kind'", "JMSCorrelationID = 'corr'");
        chooses("2", "JMSPriority = 2", "JMSType IS NULL");
        chooses("72", "JMSDeliveryMode = 'NON_PERSISTENT'", "JMSTimestamp > 0", "JMSMessageID LIKE 'ID:%'");
    }

    public void aMessageIsSelectedByItsId() throws Exception {
        fill();
        Message wanted = context.createTextMessage("wanted");
        context.createProducer().send(queue, wanted);
        String selector = "JMSMessageID = '" + wanted.getJMSMessageID() + "'";
        chooses("wanted", selector);
        try (JMSConsumer consumer = context.createConsumer(queue, selector)) {
            Expect.equal("wanted", text(consumer.receive(PATIENCE)));
            Expect.equal(null, consumer.receiveNoWait());
        }
    }

    public void groupsAreSelected() throws Exception {
        for (int number = 1; number <= 3; number++) {
            Message message = context.createTextMessage("member " + number);
            message.setStringProperty("JMSXGroupID", "family");
            message.setIntProperty("JMSXGroupSeq", number);
            context.createProducer().send(queue, message);
        }
        chooses("member 2", "JMSXGroupSeq = 2");
        chooses("member 1member 2member 3", "JMSXGroupID = 'family'");
        Message found = receive(context, queue);
        Expect.equal("family", found.getStringProperty("JMSXGroupID"));
        Expect.equal(1, found.getIntProperty("JMSXGroupSeq"));
    }

    public void wrongSelectorsAreRefused() throws Exception {
        String[] wrong = {
            "number = ", "= 1", "number == 1", "colour LIKE 5", "number BETWEEN 1", "(number = 1", "colour IN ()",
            "'unended", "number = 1 AND", "colour IS", "NOT",
        };
        for (String selector : wrong) {
            fails(InvalidSelectorRuntimeException.class, () -> context.createConsumer(queue, selector));
        }
    }

    public void consumersShareAQueueBySelectors() throws Exception {
        try (JMSConsumer even = context.createConsumer(queue, "even");
                JMSConsumer odd = context.createConsumer(queue, "NOT even")) {
            fill();
            for (String expected : new String[] {"1", "3"}) {
                Expect.equal(expected, text(odd.receive(PATIENCE)));
            }
            for (String expected : new String[] {"0", "2", "4"}) {
                Expect.equal(expected, text(even.receive(PATIENCE)));
            }
            Expect.equal(null, odd.receiveNoWait());
        }
    }

    public void aSelectingConsumerWaits() throws Exception {
        try (JMSConsumer consumer = context.createConsumer(queue, "number = 3");
                JMSContext other = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Thread later = later(() -> {
                for (int number = 0; number < 5; number++) {
                    other.createProducer().setProperty("number", number).send(queue, "number " + number);
                }
            });
            Expect.equal("number 3", text(consumer.receive(PATIENCE)));
            later.join();
        }
    }

    public void aLongSelectorWorks() throws Exception {
        fill();
        StringBuilder selector = new StringBuilder("number = 3");
        for (int number = 100; number < 500; number++) {
            selector.append(" OR number = ").append(number);
        }
        chooses("3", selector.toString());
    }
}
