package mqbridge.checks;

import com.ibm.mq.MQException;
import java.util.Objects;

/** What checks expect. */
final class Expect {
    private Expect() {}

    /** An action that may fail. */
    interface Action {
        void run() throws Exception;
    }

    static void equal(Object expected, Object found) {
        if (!Objects.deepEquals(expected, found)) {
            throw new AssertionError("expected " + shown(expected) + ", found " + shown(found));
        }
    }

    static void that(boolean so, String what) {
        if (!so) {
            throw new AssertionError(what);
        }
    }

    /** The action ends with this reason code. */
    static void reason(int code, Action action) throws Exception {
        try {
            action.run();
        } catch (MQException error) {
            equal(code, error.reasonCode);
            return;
        }
        throw new AssertionError("no failure instead of reason " + code);
    }

    private static String shown(Object value) {
        if (value instanceof byte[] bytes) {
            return java.util.HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, 64)) + " (" + bytes.length + ")";
        }
        return String.valueOf(value);
    }
}
