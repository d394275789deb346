package mqbridge.checks;

import com.ibm.mq.MQException;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.MQConstants;
import java.io.IOException;
import java.util.Hashtable;

/** Who comes in, and who does not, with the MQ classes for Java; and with which reason a channel refuses. */
public class JavaSecurity extends JavaProgram {
    private static final int REFUSED = CMQC.MQRC_NOT_AUTHORIZED;

    public JavaSecurity(Place place) throws IOException {
        super(Door.at(place));
    }

    private Hashtable<String, Object> as(String user, String password) {
        Hashtable<String, Object> properties = properties();
        properties.put(MQConstants.USER_ID_PROPERTY, user);
        properties.put(MQConstants.PASSWORD_PROPERTY, password);
        properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, true);
        return properties;
    }

    private Hashtable<String, Object> compatibly(String user, String password) {
        Hashtable<String, Object> properties = as(user, password);
        properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, false);
        return properties;
    }

    private MQQueueManager comes(Hashtable<String, Object> properties) throws MQException {
        return new MQQueueManager(place.queueManager(), properties);
    }

    private MQQueueManager alice() throws MQException {
        return comes(as(Door.USER, Door.PASSWORD));
    }

    public void theRightPasswordLetsIn() throws Exception {
        MQQueueManager manager = alice();
        MQQueue queue = manager.accessQueue(Door.OPEN, OUT | IN | CMQC.MQOO_INQUIRE);
        put(queue, "hello");
        MQQueue again = manager.accessQueue(Door.OPEN, CMQC.MQOO_BROWSE);
        Expect.equal(Door.USER, fetch(again, CMQC.MQGMO_BROWSE_FIRST, 0).userId.trim());
        again.close();
        Expect.equal("hello", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void aWrongPasswordIs2035() throws Exception {
        Expect.reason(REFUSED, () -> comes(as(Door.USER, "wonder")));
    }

    public void anUnknownUserIs2035() throws Exception {
        Expect.reason(REFUSED, () -> comes(as("nobody1", Door.PASSWORD)));
    }

    public void noPasswordIs2035() throws Exception {
        Expect.reason(REFUSED, this::connect);
    }

    public void theRightPasswordBesideTheUserLetsIn() throws Exception {
        comes(compatibly(Door.USER, Door.PASSWORD)).disconnect();
    }

    public void aWrongPasswordBesideTheUserIs2035() throws Exception {
        Expect.reason(REFUSED, () -> comes(compatibly(Door.USER, "wonder")));
    }

    public void passwordsHaveAnyLetters() throws Exception {
        Door.user("letters", "p\u00e4ssw\u00f6rd \u00a7$%");
        Console.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('letters') AUTHADD(CONNECT,INQ)");
        comes(as("letters", "p\u00e4ssw\u00f6rd \u00a7$%")).disconnect();
        Expect.reason(REFUSED, () -> comes(as("letters", "passw\u00f6rd \u00a7$%")));
    }

    public void aSecondProgramGivesItsOwnPassword() throws Exception {
        MQQueueManager first = alice();
        Expect.reason(REFUSED, () -> comes(as(Door.USER, "wonder")));
        MQQueueManager second = alice();
        Expect.that(first.isConnected() && second.isConnected(), "disconnected");
        MQQueue queue = first.accessQueue(Door.OPEN, OUT | IN);
        put(queue, "still there");
        Expect.equal("still there", get(queue, CMQC.MQGMO_NO_WAIT));
        second.disconnect();
        first.disconnect();
    }

    public void aBlockedUserIs2035() throws Exception {
        Door.whileThere("TYPE(BLOCKUSER) USERLIST('" + Door.USER + "')", () -> Expect.reason(REFUSED, this::alice));
        alice().disconnect();
    }

    public void aBlockedAddressIs2035() throws Exception {
        String record = "TYPE(ADDRESSMAP) ADDRESS('127.*') USERSRC(NOACCESS)";
        Door.whileThere(record, () -> Expect.reason(REFUSED, this::alice));
    }

    public void aQueueWithoutAuthorityIs2035() throws Exception {
        MQQueueManager manager = alice();
        Expect.reason(REFUSED, () -> manager.accessQueue(Door.CLOSED, OUT));
        Expect.reason(REFUSED, () -> manager.accessQueue(Door.OPEN, OUT | CMQC.MQOO_SET_ALL_CONTEXT));
        Expect.reason(REFUSED, () -> manager.put(Door.CLOSED, message("no"), new MQPutMessageOptions()));
        int asAnother = OUT | CMQC.MQOO_ALTERNATE_USER_AUTHORITY;
        Expect.reason(REFUSED, () -> manager.accessQueue(Door.OPEN, asAnother, null, null, "app"));
        manager.accessQueue(Door.OPEN, OUT).close();
        manager.disconnect();
    }

    public void aDynamicQueueIsItsMakers() throws Exception {
        MQQueueManager manager = alice();
        MQQueue queue = manager.accessQueue("SYSTEM.DEFAULT.MODEL.QUEUE", OUT | IN, null, "MINE.*", null);
        manager.put(queue.getName().trim(), message("mine"), new MQPutMessageOptions());
        Expect.equal("mine", get(queue, CMQC.MQGMO_NO_WAIT));
        manager.disconnect();
    }

    public void withoutACheckAnyPasswordDoes() throws Exception {
        Door.passwords("NONE");
        Console.mqsc("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ)");
        comes(as(Door.USER, "anything")).disconnect();
        connect().disconnect();
    }

    public void refusalsOfTheChannelHaveTheirReasons() throws Exception {
        refusedAt("NOT.THERE", CMQC.MQRC_UNKNOWN_CHANNEL_NAME);
        refusedAt("SYSTEM.DEF.RECEIVER", CMQC.MQRC_CHANNEL_CONFIG_ERROR);
        refusedAt("SYSTEM.DEF.SVRCONN", REFUSED);
        Console.mqsc("DEFINE CHANNEL(SHUT) CHLTYPE(SVRCONN) MCAUSER('" + Door.USER + "')");
        Console.mqsc("STOP CHANNEL(SHUT) STATUS(STOPPED)");
        refusedAt("SHUT", CMQC.MQRC_CHANNEL_NOT_AVAILABLE);
        Expect.reason(CMQC.MQRC_Q_MGR_NAME_ERROR, () -> new MQQueueManager("ELSEWHERE", as(Door.USER, Door.PASSWORD)));
    }

    public void tooManyInstancesAre2025() throws Exception {
        Console.mqsc("DEFINE CHANNEL(NARROW) CHLTYPE(SVRCONN) MAXINST(1) SHARECNV(1)");
        MQQueueManager first = comes(at("NARROW"));
        refusedAt("NARROW", CMQC.MQRC_MAX_CONNS_LIMIT_REACHED);
        first.disconnect();
    }

    private Hashtable<String, Object> at(String channel) {
        Hashtable<String, Object> properties = as(Door.USER, Door.PASSWORD);
        properties.put(MQConstants.CHANNEL_PROPERTY, channel);
        return properties;
    }

    private void refusedAt(String channel, int reason) throws Exception {
        Expect.reason(reason, () -> comes(at(channel)));
    }
}
