package mqbridge.checks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A channel that asks for passwords, with a user who may use one queue of two. */
final class Door {
    static final String CHANNEL = "SECURED";
    static final String USER = "alice";
    static final String PASSWORD = "wonderland";
    static final String OPEN = "OPEN.QUEUE";
    static final String CLOSED = "CLOSED.QUEUE";

    private static boolean ready;

    private Door() {}

    /** The place behind the door, which is made when it is first asked for; everything there is as at the beginning. */
    static Place at(Place place) throws IOException {
        if (!ready) {
            ready = true;
            String conversations = place.channel().substring(place.channel().indexOf('.') + 1);
            Console.mqsc("DEFINE CHANNEL(" + CHANNEL + ") CHLTYPE(SVRCONN) SHARECNV(" + conversations + ")");
            Console.mqsc("DEFINE QLOCAL(" + OPEN + ")");
            Console.mqsc("DEFINE QLOCAL(" + CLOSED + ")");
            Console.mqsc("DEFINE TOPIC(OPEN.TOPIC) TOPICSTR('open')");
            user(USER, PASSWORD);
            may("OBJTYPE(QMGR)", "CONNECT,INQ");
            may("PROFILE('OPEN.**') OBJTYPE(QUEUE)", "PUT,GET,BROWSE,INQ");
            may("PROFILE('SYSTEM.DEFAULT.MODEL.QUEUE') OBJTYPE(QUEUE)", "PUT,GET,BROWSE,INQ");
            may("PROFILE('OPEN.TOPIC') OBJTYPE(TOPIC)", "PUB,SUB");
        }
        passwords("REQUIRED");
        return new Place(place.host(), place.port(), CHANNEL, place.queueManager());
    }

    /** Whether passwords are asked for: a value of CHCKCLNT. */
    static void passwords(String check) throws IOException {
        Console.mqsc("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(" + check + ") FAILDLAY(0)");
    }

    static void user(String name, String password) throws IOException {
        Console.ask("user " + name + " " + HexFormat.of().formatHex(password.getBytes(StandardCharsets.UTF_8)));
    }

    private static void may(String what, String authorities) throws IOException {
        Console.mqsc("SET AUTHREC " + what + " PRINCIPAL('" + USER + "') AUTHADD(" + authorities + ")");
    }

    /** Does something while a record of channel authentication is there. */
    static void whileThere(String record, Expect.Action action) throws Exception {
        Console.mqsc("SET CHLAUTH('" + CHANNEL + "') " + record);
        try {
            action.run();
        } finally {
            Console.mqsc("SET CHLAUTH('" + CHANNEL + "') " + record + " ACTION(REMOVE)");
        }
    }
}
