// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PathMtu;
import io.verbena.verbs.PortState;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * What the verbs API itself takes from C: the layout of requests and completions, and the numbers
 * of its enums. {@link LayoutTest} finds these constants as it finds those of the provider.
 */
final class VocabularyLayout {
    static final CStruct SEND_WR = new CStruct("struct ibv_send_wr", 128);
    static final CField SEND_ID = SEND_WR.field("wr_id", 0, 8);
    static final CField SEND_NEXT = SEND_WR.field("next", 8, 8);
    static final CField SEND_ELEMENTS = SEND_WR.field("sg_list", 16, 8);
    static final CField SEND_COUNT = SEND_WR.field("num_sge", 24, 4);
    static final CField SEND_OPCODE = SEND_WR.field("opcode", 28, 4);
    static final CField SEND_FLAGS = SEND_WR.field("send_flags", 32, 4);
    static final CField SEND_IMMEDIATE = SEND_WR.field("imm_data", 36, 4);
    static final CField RDMA_ADDRESS = SEND_WR.field("wr.rdma.remote_addr", 40, 8);
    static final CField RDMA_KEY = SEND_WR.field("wr.rdma.rkey", 48, 4);
    static final CField ATOMIC_ADDRESS = SEND_WR.field("wr.atomic.remote_addr", 40, 8);
    static final CField ATOMIC_COMPARE_ADD = SEND_WR.field("wr.atomic.compare_add", 48, 8);
    static final CField ATOMIC_SWAP = SEND_WR.field("wr.atomic.swap", 56, 8);
    static final CField ATOMIC_KEY = SEND_WR.field("wr.atomic.rkey", 64, 4);

    static final CStruct RECV_WR = new CStruct("struct ibv_recv_wr", 32);
    static final CField RECV_ID = RECV_WR.field("wr_id", 0, 8);
    static final CField RECV_NEXT = RECV_WR.field("next", 8, 8);
    static final CField RECV_ELEMENTS = RECV_WR.field("sg_list", 16, 8);
    static final CField RECV_COUNT = RECV_WR.field("num_sge", 24, 4);

    static final CStruct SGE = new CStruct("struct ibv_sge", 16);
    static final CField SGE_ADDRESS = SGE.field("addr", 0, 8);
    static final CField SGE_LENGTH = SGE.field("length", 8, 4);
    static final CField SGE_KEY = SGE.field("lkey", 12, 4);

    static final CStruct WC = new CStruct("struct ibv_wc", 48);
    static final CField WC_ID = WC.field("wr_id", 0, 8);
    static final CField WC_STATUS = WC.field("status", 8, 4);
    static final CField WC_OPCODE = WC.field("opcode", 12, 4);
    static final CField WC_VENDOR_ERROR = WC.field("vendor_err", 16, 4);
    static final CField WC_LENGTH = WC.field("byte_len", 20, 4);
    static final CField WC_IMMEDIATE = WC.field("imm_data", 24, 4);
    static final CField WC_NUMBER = WC.field("qp_num", 28, 4);
    static final CField WC_FLAGS = WC.field("wc_flags", 36, 4);

    /** Every value of every enum, except those that stand for unknown numbers. */
    static final List<CConstant> CODES = codes();

    private VocabularyLayout() {}

    private static List<CConstant> codes() {
        List<CConstant> codes = new ArrayList<>();
        codes.add(new CConstant("IBV_SEND_FENCE", SendWorkRequest.FENCE));
        codes.add(new CConstant("IBV_SEND_SIGNALED", SendWorkRequest.SIGNALED));
        codes.add(new CConstant("IBV_SEND_SOLICITED", SendWorkRequest.SOLICITED));
        codes.add(new CConstant("IBV_SEND_INLINE", SendWorkRequest.INLINE));
        codes.add(new CConstant("IBV_WC_WITH_IMM", WorkCompletion.WITH_IMMEDIATE));
        add(
                codes,
                AccessFlag.values(),
                AccessFlag::bit,
                """
                IBV_ACCESS_LOCAL_WRITE IBV_ACCESS_REMOTE_WRITE IBV_ACCESS_REMOTE_READ
                IBV_ACCESS_REMOTE_ATOMIC\
                """);
        add(
                codes,
                QueuePairState.values(),
                QueuePairState::code,
                """
                IBV_QPS_RESET IBV_QPS_INIT IBV_QPS_RTR IBV_QPS_RTS IBV_QPS_SQD IBV_QPS_SQE
                IBV_QPS_ERR -\
                """);
        add(
                codes,
                PortState.values(),
                PortState::code,
                """
                IBV_PORT_NOP IBV_PORT_DOWN IBV_PORT_INIT IBV_PORT_ARMED IBV_PORT_ACTIVE
                IBV_PORT_ACTIVE_DEFER -\
                """);
        add(
                codes,
                PathMtu.values(),
                PathMtu::code,
                """
                IBV_MTU_256 IBV_MTU_512 IBV_MTU_1024 IBV_MTU_2048 IBV_MTU_4096 -\
                """);
        addWork(codes);
        return codes;
    }

    private static void addWork(List<CConstant> codes) {
        add(
                codes,
                SendOpcode.values(),
                SendOpcode::code,
                """
                IBV_WR_RDMA_WRITE IBV_WR_RDMA_WRITE_WITH_IMM IBV_WR_SEND IBV_WR_SEND_WITH_IMM
                IBV_WR_RDMA_READ IBV_WR_ATOMIC_CMP_AND_SWP IBV_WR_ATOMIC_FETCH_AND_ADD -\
                """);
        add(
                codes,
                WorkCompletionOpcode.values(),
                WorkCompletionOpcode::code,
                """
                IBV_WC_SEND IBV_WC_RDMA_WRITE IBV_WC_RDMA_READ IBV_WC_COMP_SWAP IBV_WC_FETCH_ADD
                IBV_WC_BIND_MW IBV_WC_LOCAL_INV IBV_WC_RECV IBV_WC_RECV_RDMA_WITH_IMM -\
                """);
        add(
                codes,
                WorkCompletionStatus.values(),
                WorkCompletionStatus::code,
                """
                IBV_WC_SUCCESS IBV_WC_LOC_LEN_ERR IBV_WC_LOC_QP_OP_ERR IBV_WC_LOC_EEC_OP_ERR
                IBV_WC_LOC_PROT_ERR IBV_WC_WR_FLUSH_ERR IBV_WC_MW_BIND_ERR IBV_WC_BAD_RESP_ERR
                IBV_WC_LOC_ACCESS_ERR IBV_WC_REM_INV_REQ_ERR IBV_WC_REM_ACCESS_ERR
                IBV_WC_REM_OP_ERR IBV_WC_RETRY_EXC_ERR IBV_WC_RNR_RETRY_EXC_ERR
                IBV_WC_LOC_RDD_VIOL_ERR IBV_WC_REM_INV_RD_REQ_ERR IBV_WC_REM_ABORT_ERR
                IBV_WC_INV_EECN_ERR IBV_WC_INV_EEC_STATE_ERR IBV_WC_FATAL_ERR
                IBV_WC_RESP_TIMEOUT_ERR IBV_WC_GENERAL_ERR -\
                """);
        add(
                codes,
                AsyncEventType.values(),
                AsyncEventType::code,
                """
                IBV_EVENT_CQ_ERR IBV_EVENT_QP_FATAL IBV_EVENT_QP_REQ_ERR IBV_EVENT_QP_ACCESS_ERR
                IBV_EVENT_COMM_EST IBV_EVENT_SQ_DRAINED IBV_EVENT_PATH_MIG IBV_EVENT_PATH_MIG_ERR
                IBV_EVENT_DEVICE_FATAL IBV_EVENT_PORT_ACTIVE IBV_EVENT_PORT_ERR
                IBV_EVENT_LID_CHANGE IBV_EVENT_PKEY_CHANGE IBV_EVENT_SM_CHANGE IBV_EVENT_SRQ_ERR
                IBV_EVENT_SRQ_LIMIT_REACHED IBV_EVENT_QP_LAST_WQE_REACHED
                IBV_EVENT_CLIENT_REREGISTER IBV_EVENT_GID_CHANGE -\
                """);
        add(
                codes,
                Attribute.values(),
                Attribute::bit,
                """
                IBV_QP_STATE IBV_QP_CUR_STATE IBV_QP_EN_SQD_ASYNC_NOTIFY IBV_QP_ACCESS_FLAGS
                IBV_QP_PKEY_INDEX IBV_QP_PORT IBV_QP_AV IBV_QP_PATH_MTU IBV_QP_TIMEOUT
                IBV_QP_RETRY_CNT IBV_QP_RNR_RETRY IBV_QP_RQ_PSN IBV_QP_MAX_QP_RD_ATOMIC
                IBV_QP_MIN_RNR_TIMER IBV_QP_SQ_PSN IBV_QP_MAX_DEST_RD_ATOMIC IBV_QP_DEST_QPN\
                """);
    }

    /** One C name for each value, in order; a dash if C has none. */
    private static <E extends Enum<E>> void add(
            List<CConstant> codes, E[] values, ToIntFunction<E> code, String names) {
        String[] words = names.split("\\s+", -1);
        if (words.length != values.length) {
            throw new AssertionError(
                    values[0].getDeclaringClass()
                            + " has "
                            + values.length
                            + " values, not "
                            + words.length);
        }
        for (int i = 0; i < words.length; i++) {
            if (!words[i].equals("-")) {
                codes.add(new CConstant(words[i], code.applyAsInt(values[i])));
            }
        }
    }
}
