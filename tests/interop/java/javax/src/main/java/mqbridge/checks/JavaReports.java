package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;

import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import java.util.Arrays;

/** Report messages and triggering. */
public class JavaReports extends JavaProgram {
    private static final String TEXT = "0123456789".repeat(20);
    private static final byte[] CORRELATION = "correlation id of 24 byt".getBytes();

    private final MQQueueManager manager = connect();
    private final MQQueue queue = shared(manager);
    private final MQQueue reports = shared(manager);

    public JavaReports(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        manager.disconnect();
    }

    private MQMessage put(int report) throws Exception {
        MQMessage message = message(TEXT);
        message.report = report;
        message.correlationId = CORRELATION;
        message.replyToQueueName = reports.getName();
        queue.put(message, new MQPutMessageOptions());
        return message;
    }

    private MQMessage report(int feedback) throws Exception {
        MQMessage found = fetch(reports, MQGMO_WAIT, 5000);
        Expect.equal(MQMT_REPORT, found.messageType);
        Expect.equal(feedback, found.feedback);
        return found;
    }

    public void arrivalIsConfirmed() throws Exception {
        MQMessage message = put(MQRO_COA);
        MQMessage found = report(MQFB_COA);
        Expect.equal(message.messageId, found.correlationId);
        Expect.that(!Arrays.equals(message.messageId, found.messageId), "the id is not new");
        Expect.equal(0, found.getMessageLength());
    }

    public void deliveryIsConfirmed() throws Exception {
        put(MQRO_COD);
        Expect.equal(0, reports.getCurrentDepth());
        fetch(queue, MQGMO_BROWSE_FIRST, 0);
        Expect.equal(0, reports.getCurrentDepth());
        fetch(queue, MQGMO_NO_WAIT, 0);
        report(MQFB_COD);
    }

    public void deliveryIsConfirmedAtCommit() throws Exception {
        put(MQRO_COD);
        fetch(queue, MQGMO_SYNCPOINT, 0);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(reports, MQGMO_NO_WAIT, 0));
        manager.backout();
        fetch(queue, MQGMO_SYNCPOINT, 0);
        manager.commit();
        report(MQFB_COD);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(reports, MQGMO_NO_WAIT, 0));
    }

    public void dataGoAlong() throws Exception {
        put(MQRO_COA_WITH_DATA);
        Expect.equal(TEXT.substring(0, 100), text(report(MQFB_COA)));
        put(MQRO_COA_WITH_FULL_DATA);
        Expect.equal(TEXT, text(report(MQFB_COA)));
    }

    public void identifiersArePassedOn() throws Exception {
        MQMessage message = put(MQRO_COA | MQRO_PASS_MSG_ID | MQRO_PASS_CORREL_ID);
        MQMessage found = report(MQFB_COA);
        Expect.equal(message.messageId, found.messageId);
        Expect.equal(CORRELATION, found.correlationId);
    }

    public void expirationIsReported() throws Exception {
        MQMessage message = message(TEXT);
        message.report = MQRO_EXPIRATION_WITH_FULL_DATA;
        message.replyToQueueName = reports.getName();
        message.expiry = 1;
        queue.put(message, new MQPutMessageOptions());
        Thread.sleep(200);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(queue, MQGMO_NO_WAIT, 0));
        Expect.equal(TEXT, text(report(MQFB_EXPIRATION)));
    }

    public void arrivalOfOneInAUnitOfWorkIsConfirmedAtCommit() throws Exception {
        MQMessage message = message(TEXT);
        message.report = MQRO_COA;
        message.replyToQueueName = reports.getName();
        MQPutMessageOptions how = new MQPutMessageOptions();
        how.options = MQPMO_SYNCPOINT;
        queue.put(message, how);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(reports, MQGMO_NO_WAIT, 0));
        manager.commit();
        report(MQFB_COA);
    }

    private MQQueue triggered(String name, String attributes) throws Exception {
        Console.mqsc("DEFINE QLOCAL(CHECKS.INITQ) REPLACE");
        Console.mqsc("DEFINE PROCESS(CHECKS.PROCESS) APPLICID('the program') USERDATA('user data') REPLACE");
        Console.mqsc("DEFINE QLOCAL(" + name + ") INITQ(CHECKS.INITQ) PROCESS(CHECKS.PROCESS) TRIGGER " + attributes
                + " TRIGDATA('trigger data') REPLACE");
        return manager.accessQueue(name, OUT | MQOO_INQUIRE | MQOO_BROWSE);
    }

    private MQQueue initiation() throws Exception {
        return manager.accessQueue("CHECKS.INITQ", MQOO_INPUT_SHARED | MQOO_INQUIRE);
    }

    private static String field(byte[] data, int offset, int length) throws Exception {
        return new String(data, offset, length, "US-ASCII").trim();
    }

    public void theFirstMessageTriggers() throws Exception {
        MQQueue target = triggered("CHECKS.TRIGGER.FIRST", "TRIGTYPE(FIRST)");
        MQQueue initiation = initiation();
        put(target, "one");
        MQMessage found = fetch(initiation, MQGMO_WAIT, 5000);
        Expect.equal(MQFMT_TRIGGER, found.format);
        byte[] data = data(found);
        Expect.equal("TM", field(data, 0, 4));
        Expect.equal("CHECKS.TRIGGER.FIRST", field(data, 8, 48));
        Expect.equal("CHECKS.PROCESS", field(data, 56, 48));
        Expect.equal("trigger data", field(data, 104, 64));
        Expect.equal("the program", field(data, 172, 256));
        Expect.equal("user data", field(data, 556, 128));
        put(target, "two");
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(initiation, MQGMO_NO_WAIT, 0));
        initiation.close();
    }

    public void everyMessageTriggers() throws Exception {
        MQQueue target = triggered("CHECKS.TRIGGER.EVERY", "TRIGTYPE(EVERY)");
        MQQueue initiation = initiation();
        put(target, "one");
        put(target, "two");
        fetch(initiation, MQGMO_WAIT, 5000);
        fetch(initiation, MQGMO_WAIT, 5000);
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(initiation, MQGMO_NO_WAIT, 0));
        initiation.close();
    }

    public void depthTriggersOnce() throws Exception {
        MQQueue target = triggered("CHECKS.TRIGGER.DEPTH", "TRIGTYPE(DEPTH) TRIGDPTH(2)");
        MQQueue initiation = initiation();
        put(target, "one");
        Expect.reason(MQRC_NO_MSG_AVAILABLE, () -> fetch(initiation, MQGMO_NO_WAIT, 0));
        put(target, "two");
        fetch(initiation, MQGMO_WAIT, 5000);
        int[] control = new int[1];
        target.inquire(new int[] {MQIA_TRIGGER_CONTROL}, control, new byte[0]);
        Expect.equal(new int[] {MQTC_OFF}, control);
        initiation.close();
    }
}
