// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/**
 * The structures and constants of librdmacm and of socket addresses that the binding uses, for
 * 64-bit systems. A test compares each one with {@code rdma/rdma_cma.h} and {@code netinet/in.h}.
 */
final class RdmacmLayout {
    static final CStruct EVENT_CHANNEL = new CStruct("struct rdma_event_channel", 4);
    static final CField EVENT_CHANNEL_FD = EVENT_CHANNEL.field("fd", 0, 4);

    static final CStruct CM_ID = new CStruct("struct rdma_cm_id", 416);
    static final CField CM_ID_VERBS = CM_ID.field("verbs", 0, 8);
    static final CField CM_ID_CONTEXT = CM_ID.field("context", 16, 8);
    static final CField CM_ID_SOURCE = CM_ID.field("route.addr.src_storage", 32, 128);
    static final CField CM_ID_DESTINATION = CM_ID.field("route.addr.dst_storage", 160, 128);

    /** {@code ibv_context}, as librdmacm sees it. */
    static final CField CONTEXT_DEVICE = IbvLayout.CONTEXT.field("device", 0, 8);

    static final CStruct EVENT = new CStruct("struct rdma_cm_event", 80);
    static final CField EVENT_ID = EVENT.field("id", 0, 8);
    static final CField EVENT_LISTEN_ID = EVENT.field("listen_id", 8, 8);
    static final CField EVENT_TYPE = EVENT.field("event", 16, 4);
    static final CField EVENT_STATUS = EVENT.field("status", 20, 4);
    static final CField EVENT_CONNECTION = EVENT.field("param.conn", 24, 24);

    static final CStruct CONN_PARAM = new CStruct("struct rdma_conn_param", 24);
    static final CField PARAM_PRIVATE_DATA = CONN_PARAM.field("private_data", 0, 8);
    static final CField PARAM_PRIVATE_DATA_LEN = CONN_PARAM.field("private_data_len", 8, 1);
    static final CField PARAM_RESPONDER_RESOURCES = CONN_PARAM.field("responder_resources", 9, 1);
    static final CField PARAM_INITIATOR_DEPTH = CONN_PARAM.field("initiator_depth", 10, 1);
    static final CField PARAM_FLOW_CONTROL = CONN_PARAM.field("flow_control", 11, 1);
    static final CField PARAM_RETRY_COUNT = CONN_PARAM.field("retry_count", 12, 1);
    static final CField PARAM_RNR_RETRY_COUNT = CONN_PARAM.field("rnr_retry_count", 13, 1);
    static final CField PARAM_QP_NUM = CONN_PARAM.field("qp_num", 16, 4);

    static final CStruct SOCKADDR_IN = new CStruct("struct sockaddr_in", 16);
    static final CField SIN_FAMILY = SOCKADDR_IN.field("sin_family", 0, 2);
    static final CField SIN_PORT = SOCKADDR_IN.field("sin_port", 2, 2);
    static final CField SIN_ADDR = SOCKADDR_IN.field("sin_addr", 4, 4);

    static final CStruct SOCKADDR_IN6 = new CStruct("struct sockaddr_in6", 28);
    static final CField SIN6_FAMILY = SOCKADDR_IN6.field("sin6_family", 0, 2);
    static final CField SIN6_PORT = SOCKADDR_IN6.field("sin6_port", 2, 2);
    static final CField SIN6_ADDR = SOCKADDR_IN6.field("sin6_addr", 8, 16);
    static final CField SIN6_SCOPE_ID = SOCKADDR_IN6.field("sin6_scope_id", 24, 4);

    static final CStruct SOCKADDR_STORAGE = new CStruct("struct sockaddr_storage", 128);

    static final CConstant AF_INET = new CConstant("AF_INET", 2);
    static final CConstant AF_INET6 = new CConstant("AF_INET6", 10);
    static final CConstant RDMA_PS_TCP = new CConstant("RDMA_PS_TCP", 0x0106);
    static final CConstant RDMA_MAX_RESP_RES = new CConstant("RDMA_MAX_RESP_RES", 255);
    static final CConstant RDMA_MAX_INIT_DEPTH = new CConstant("RDMA_MAX_INIT_DEPTH", 255);

    private RdmacmLayout() {}
}
