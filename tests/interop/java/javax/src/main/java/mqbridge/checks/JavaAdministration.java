package mqbridge.checks;

import static com.ibm.mq.constants.CMQC.*;
import static com.ibm.mq.constants.CMQCFC.*;

import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.headers.MQDataException;
import com.ibm.mq.headers.pcf.PCFException;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.util.Arrays;
import java.util.List;

/** Administration by PCF messages. */
public class JavaAdministration extends JavaProgram {
    private final MQQueueManager manager = connect();
    private final PCFMessageAgent agent = new PCFMessageAgent(manager);
    private final String name = "PCF." + System.nanoTime();

    public JavaAdministration(Place place) throws Exception {
        super(place);
    }

    @Override
    void end() throws Exception {
        agent.disconnect();
    }

    private static PCFMessage command(int number) {
        return new PCFMessage(number);
    }

    private void create() throws Exception {
        PCFMessage request = command(MQCMD_CREATE_Q);
        request.addParameter(MQCA_Q_NAME, name);
        request.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
        request.addParameter(MQCA_Q_DESC, "made by a program");
        request.addParameter(MQIA_MAX_Q_DEPTH, 55);
        agent.send(request);
    }

    private PCFMessage inquired() throws Exception {
        PCFMessage request = command(MQCMD_INQUIRE_Q);
        request.addParameter(MQCA_Q_NAME, name);
        PCFMessage[] replies = agent.send(request);
        Expect.equal(1, replies.length);
        return replies[0];
    }

    private static void refused(int reason, Expect.Action action) throws Exception {
        try {
            action.run();
        } catch (PCFException error) {
            Expect.equal(reason, error.reasonCode);
            return;
        } catch (MQDataException error) {
            Expect.equal(reason, error.getReason());
            return;
        }
        throw new AssertionError("no failure instead of reason " + reason);
    }

    public void theCommandServerIsThere() throws Exception {
        Expect.equal(place.queueManager(), agent.getQManagerName().trim());
        PCFMessage[] replies = agent.send(command(MQCMD_PING_Q_MGR));
        Expect.equal(1, replies.length);
        Expect.equal(MQCC_OK, replies[0].getCompCode());
    }

    public void theQueueManagerIsShown() throws Exception {
        PCFMessage reply = agent.send(command(MQCMD_INQUIRE_Q_MGR))[0];
        Expect.equal(place.queueManager(), reply.getStringParameterValue(MQCA_Q_MGR_NAME).trim());
        Expect.equal(9, reply.getIntParameterValue(MQIA_MAX_PRIORITY));
    }

    public void aQueueIsMadeAndShown() throws Exception {
        create();
        PCFMessage reply = inquired();
        Expect.equal(name, reply.getStringParameterValue(MQCA_Q_NAME).trim());
        Expect.equal("made by a program", reply.getStringParameterValue(MQCA_Q_DESC).trim());
        Expect.equal(55, reply.getIntParameterValue(MQIA_MAX_Q_DEPTH));
        Expect.equal(0, reply.getIntParameterValue(MQIA_CURRENT_Q_DEPTH));
        Expect.equal(MQQT_LOCAL, reply.getIntParameterValue(MQIA_Q_TYPE));
    }

    public void aQueueIsMadeOnce() throws Exception {
        create();
        refused(MQRCCF_OBJECT_ALREADY_EXISTS, this::create);
    }

    public void aQueueIsChanged() throws Exception {
        create();
        PCFMessage request = command(MQCMD_CHANGE_Q);
        request.addParameter(MQCA_Q_NAME, name);
        request.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
        request.addParameter(MQIA_INHIBIT_PUT, MQQA_PUT_INHIBITED);
        agent.send(request);
        Expect.equal(MQQA_PUT_INHIBITED, inquired().getIntParameterValue(MQIA_INHIBIT_PUT));
        Expect.reason(MQRC_PUT_INHIBITED, () -> put(manager.accessQueue(name, OUT), "x"));
    }

    public void aQueueIsClearedAndDeleted() throws Exception {
        create();
        MQQueue queue = manager.accessQueue(name, OUT);
        put(queue, "x");
        queue.close();
        Expect.equal(1, inquired().getIntParameterValue(MQIA_CURRENT_Q_DEPTH));
        PCFMessage delete = command(MQCMD_DELETE_Q);
        delete.addParameter(MQCA_Q_NAME, name);
        refused(MQRC_Q_NOT_EMPTY, () -> agent.send(delete));
        PCFMessage clear = command(MQCMD_CLEAR_Q);
        clear.addParameter(MQCA_Q_NAME, name);
        agent.send(clear);
        agent.send(delete);
        Expect.reason(MQRC_UNKNOWN_OBJECT_NAME, () -> manager.accessQueue(name, OUT));
    }

    public void anUnknownQueueIsNotShown() throws Exception {
        refused(MQRC_UNKNOWN_OBJECT_NAME, this::inquired);
    }

    public void namesAreListed() throws Exception {
        create();
        PCFMessage request = command(MQCMD_INQUIRE_Q_NAMES);
        request.addParameter(MQCA_Q_NAME, name.substring(0, 10) + "*");
        request.addParameter(MQIA_Q_TYPE, MQQT_ALL);
        List<String> names = Arrays.stream(agent.send(request)[0].getStringListParameterValue(MQCACF_Q_NAMES))
                .map(String::trim)
                .toList();
        Expect.that(names.contains(name), names.toString());
    }

    public void someAttributesOfManyQueuesAreShown() throws Exception {
        PCFMessage request = command(MQCMD_INQUIRE_Q);
        request.addParameter(MQCA_Q_NAME, "DEV.QUEUE.*");
        request.addParameter(MQIA_Q_TYPE, MQQT_LOCAL);
        request.addParameter(MQIACF_Q_ATTRS, new int[] {MQCA_Q_NAME, MQIA_CURRENT_Q_DEPTH});
        PCFMessage[] replies = agent.send(request);
        Expect.equal(3, replies.length);
        for (PCFMessage reply : replies) {
            Expect.that(reply.getParameter(MQIA_CURRENT_Q_DEPTH) != null, "no depth");
            Expect.equal(null, reply.getParameter(MQIA_MAX_Q_DEPTH));
        }
    }

    public void aChannelIsShownAtWork() throws Exception {
        PCFMessage request = command(MQCMD_INQUIRE_CHANNEL_STATUS);
        request.addParameter(MQCACH_CHANNEL_NAME, place.channel());
        PCFMessage[] replies = agent.send(request);
        Expect.that(replies.length >= 1, "no status");
        Expect.equal(place.channel(), replies[0].getStringParameterValue(MQCACH_CHANNEL_NAME).trim());
        Expect.equal(MQCHS_RUNNING, replies[0].getIntParameterValue(MQIACH_CHANNEL_STATUS));
    }

    public void theStatusOfAQueueTellsItsHandles() throws Exception {
        create();
        MQQueue queue = manager.accessQueue(name, OUT | IN);
        PCFMessage request = command(MQCMD_INQUIRE_Q_STATUS);
        request.addParameter(MQCA_Q_NAME, name);
        PCFMessage reply = agent.send(request)[0];
        Expect.equal(1, reply.getIntParameterValue(MQIA_OPEN_INPUT_COUNT));
        Expect.equal(1, reply.getIntParameterValue(MQIA_OPEN_OUTPUT_COUNT));
        queue.close();
    }

    public void aMissingParameterIsTold() throws Exception {
        refused(MQRCCF_CFST_PARM_ID_ERROR, () -> {
            PCFMessage request = command(MQCMD_INQUIRE_Q);
            request.addParameter(MQCACH_CHANNEL_NAME, "X");
            agent.send(request);
        });
    }
}
