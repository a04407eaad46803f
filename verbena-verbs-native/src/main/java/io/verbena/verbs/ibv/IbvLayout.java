// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/**
 * The structures and constants of libibverbs that the binding uses, for 64-bit systems. A test
 * compares each one with {@code infiniband/verbs.h}.
 *
 * <p>The layouts of work requests and completions are in the verbs API; here are only the fields
 * that the provider itself reads.
 */
final class IbvLayout {
    static final CStruct CONTEXT = new CStruct("struct ibv_context", 328);
    static final CField CONTEXT_POLL_CQ = CONTEXT.field("ops.poll_cq", 96, 8);
    static final CField CONTEXT_REQ_NOTIFY_CQ = CONTEXT.field("ops.req_notify_cq", 104, 8);
    static final CField CONTEXT_POST_SEND = CONTEXT.field("ops.post_send", 208, 8);
    static final CField CONTEXT_POST_RECV = CONTEXT.field("ops.post_recv", 216, 8);
    static final CField CONTEXT_ASYNC_FD = CONTEXT.field("async_fd", 268, 4);
    static final CField CONTEXT_NUM_COMP_VECTORS = CONTEXT.field("num_comp_vectors", 272, 4);

    static final CStruct DEVICE_ATTR = new CStruct("struct ibv_device_attr", 232);
    static final CField DEVICE_FW_VER = DEVICE_ATTR.field("fw_ver", 0, 64);
    static final CField DEVICE_NODE_GUID = DEVICE_ATTR.field("node_guid", 64, 8);
    static final CField DEVICE_SYS_IMAGE_GUID = DEVICE_ATTR.field("sys_image_guid", 72, 8);
    static final CField DEVICE_MAX_MR_SIZE = DEVICE_ATTR.field("max_mr_size", 80, 8);
    static final CField DEVICE_VENDOR_ID = DEVICE_ATTR.field("vendor_id", 96, 4);
    static final CField DEVICE_VENDOR_PART_ID = DEVICE_ATTR.field("vendor_part_id", 100, 4);
    static final CField DEVICE_HW_VER = DEVICE_ATTR.field("hw_ver", 104, 4);
    static final CField DEVICE_MAX_QP = DEVICE_ATTR.field("max_qp", 108, 4);
    static final CField DEVICE_MAX_QP_WR = DEVICE_ATTR.field("max_qp_wr", 112, 4);
    static final CField DEVICE_MAX_SGE = DEVICE_ATTR.field("max_sge", 120, 4);
    static final CField DEVICE_MAX_CQ = DEVICE_ATTR.field("max_cq", 128, 4);
    static final CField DEVICE_MAX_CQE = DEVICE_ATTR.field("max_cqe", 132, 4);
    static final CField DEVICE_MAX_MR = DEVICE_ATTR.field("max_mr", 136, 4);
    static final CField DEVICE_MAX_PD = DEVICE_ATTR.field("max_pd", 140, 4);
    static final CField DEVICE_MAX_QP_RD_ATOM = DEVICE_ATTR.field("max_qp_rd_atom", 144, 4);
    static final CField DEVICE_MAX_QP_INIT_RD_ATOM =
            DEVICE_ATTR.field("max_qp_init_rd_atom", 156, 4);
    static final CField DEVICE_ATOMIC_CAP = DEVICE_ATTR.field("atomic_cap", 164, 4);
    static final CField DEVICE_PHYS_PORT_CNT = DEVICE_ATTR.field("phys_port_cnt", 227, 1);

    static final CStruct PORT_ATTR = new CStruct("struct ibv_port_attr", 52);
    static final CField PORT_STATE = PORT_ATTR.field("state", 0, 4);
    static final CField PORT_MAX_MTU = PORT_ATTR.field("max_mtu", 4, 4);
    static final CField PORT_ACTIVE_MTU = PORT_ATTR.field("active_mtu", 8, 4);
    static final CField PORT_GID_TBL_LEN = PORT_ATTR.field("gid_tbl_len", 12, 4);
    static final CField PORT_MAX_MSG_SZ = PORT_ATTR.field("max_msg_sz", 20, 4);
    static final CField PORT_LID = PORT_ATTR.field("lid", 34, 2);
    static final CField PORT_LINK_LAYER = PORT_ATTR.field("link_layer", 46, 1);

    static final CStruct GID = new CStruct("union ibv_gid", 16);

    static final CStruct GID_ENTRY = new CStruct("struct ibv_gid_entry", 32);
    static final CField GID_ENTRY_GID = GID_ENTRY.field("gid", 0, 16);
    static final CField GID_ENTRY_INDEX = GID_ENTRY.field("gid_index", 16, 4);
    static final CField GID_ENTRY_PORT_NUM = GID_ENTRY.field("port_num", 20, 4);
    static final CField GID_ENTRY_TYPE = GID_ENTRY.field("gid_type", 24, 4);

    static final CStruct MR = new CStruct("struct ibv_mr", 48);
    static final CField MR_LKEY = MR.field("lkey", 36, 4);
    static final CField MR_RKEY = MR.field("rkey", 40, 4);

    static final CStruct COMP_CHANNEL = new CStruct("struct ibv_comp_channel", 16);
    static final CField COMP_CHANNEL_FD = COMP_CHANNEL.field("fd", 8, 4);

    static final CStruct CQ = new CStruct("struct ibv_cq", 128);
    static final CField CQ_CQE = CQ.field("cqe", 28, 4);

    static final CStruct QP = new CStruct("struct ibv_qp", 160);
    static final CField QP_NUM = QP.field("qp_num", 52, 4);

    static final CStruct ASYNC_EVENT = new CStruct("struct ibv_async_event", 16);
    static final CField ASYNC_EVENT_ELEMENT = ASYNC_EVENT.field("element", 0, 8);
    static final CField ASYNC_EVENT_PORT_NUM = ASYNC_EVENT.field("element.port_num", 0, 4);
    static final CField ASYNC_EVENT_TYPE = ASYNC_EVENT.field("event_type", 8, 4);

    static final CStruct QP_INIT_ATTR = new CStruct("struct ibv_qp_init_attr", 64);
    static final CField QP_INIT_SEND_CQ = QP_INIT_ATTR.field("send_cq", 8, 8);
    static final CField QP_INIT_RECV_CQ = QP_INIT_ATTR.field("recv_cq", 16, 8);
    static final CField QP_INIT_MAX_SEND_WR = QP_INIT_ATTR.field("cap.max_send_wr", 32, 4);
    static final CField QP_INIT_MAX_RECV_WR = QP_INIT_ATTR.field("cap.max_recv_wr", 36, 4);
    static final CField QP_INIT_MAX_SEND_SGE = QP_INIT_ATTR.field("cap.max_send_sge", 40, 4);
    static final CField QP_INIT_MAX_RECV_SGE = QP_INIT_ATTR.field("cap.max_recv_sge", 44, 4);
    static final CField QP_INIT_MAX_INLINE_DATA = QP_INIT_ATTR.field("cap.max_inline_data", 48, 4);
    static final CField QP_INIT_QP_TYPE = QP_INIT_ATTR.field("qp_type", 52, 4);
    static final CField QP_INIT_SQ_SIG_ALL = QP_INIT_ATTR.field("sq_sig_all", 56, 4);

    static final CStruct QP_ATTR = new CStruct("struct ibv_qp_attr", 144);
    static final CField QP_ATTR_STATE = QP_ATTR.field("qp_state", 0, 4);
    static final CField QP_ATTR_CUR_STATE = QP_ATTR.field("cur_qp_state", 4, 4);
    static final CField QP_ATTR_PATH_MTU = QP_ATTR.field("path_mtu", 8, 4);
    static final CField QP_ATTR_RQ_PSN = QP_ATTR.field("rq_psn", 20, 4);
    static final CField QP_ATTR_SQ_PSN = QP_ATTR.field("sq_psn", 24, 4);
    static final CField QP_ATTR_DEST_QP_NUM = QP_ATTR.field("dest_qp_num", 28, 4);
    static final CField QP_ATTR_ACCESS_FLAGS = QP_ATTR.field("qp_access_flags", 32, 4);
    static final CField QP_ATTR_DGID = QP_ATTR.field("ah_attr.grh.dgid", 56, 16);
    static final CField QP_ATTR_SGID_INDEX = QP_ATTR.field("ah_attr.grh.sgid_index", 76, 1);
    static final CField QP_ATTR_HOP_LIMIT = QP_ATTR.field("ah_attr.grh.hop_limit", 77, 1);
    static final CField QP_ATTR_TRAFFIC_CLASS = QP_ATTR.field("ah_attr.grh.traffic_class", 78, 1);
    static final CField QP_ATTR_DLID = QP_ATTR.field("ah_attr.dlid", 80, 2);
    static final CField QP_ATTR_IS_GLOBAL = QP_ATTR.field("ah_attr.is_global", 85, 1);
    static final CField QP_ATTR_AH_PORT_NUM = QP_ATTR.field("ah_attr.port_num", 86, 1);
    static final CField QP_ATTR_PKEY_INDEX = QP_ATTR.field("pkey_index", 120, 2);
    static final CField QP_ATTR_EN_SQD_ASYNC_NOTIFY = QP_ATTR.field("en_sqd_async_notify", 124, 1);
    static final CField QP_ATTR_MAX_RD_ATOMIC = QP_ATTR.field("max_rd_atomic", 126, 1);
    static final CField QP_ATTR_MAX_DEST_RD_ATOMIC = QP_ATTR.field("max_dest_rd_atomic", 127, 1);
    static final CField QP_ATTR_MIN_RNR_TIMER = QP_ATTR.field("min_rnr_timer", 128, 1);
    static final CField QP_ATTR_PORT_NUM = QP_ATTR.field("port_num", 129, 1);
    static final CField QP_ATTR_TIMEOUT = QP_ATTR.field("timeout", 130, 1);
    static final CField QP_ATTR_RETRY_CNT = QP_ATTR.field("retry_cnt", 131, 1);
    static final CField QP_ATTR_RNR_RETRY = QP_ATTR.field("rnr_retry", 132, 1);

    static final CConstant IBV_QPT_RC = new CConstant("IBV_QPT_RC", 2);
    static final CConstant IBV_ATOMIC_NONE = new CConstant("IBV_ATOMIC_NONE", 0);
    static final CConstant IBV_LINK_LAYER_ETHERNET = new CConstant("IBV_LINK_LAYER_ETHERNET", 2);
    static final CConstant IBV_GID_TYPE_ROCE_V1 = new CConstant("IBV_GID_TYPE_ROCE_V1", 1);
    static final CConstant IBV_GID_TYPE_ROCE_V2 = new CConstant("IBV_GID_TYPE_ROCE_V2", 2);

    private IbvLayout() {}
}
