// SPDX-License-Identifier: Apache-2.0
//
// Both sides of the protocol of rdma_socket and its message queue, as small as they can be.
//
//   rdma_socket_peer receive PORT CONNECTIONS              prints every message, sender first
//   rdma_socket_peer echo PORT                             one connection; sends back every message
//   rdma_socket_peer send HOST PORT NODE CONNECTIONS COUNT SIZE MORE
//                                                          groups of MORE frames and one on each connection
//   rdma_socket_peer call HOST PORT NODE COUNT SIZE        sends messages one by one, expects each back

#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

enum {
    TIME_LIMIT_SECONDS = 300,
    DEPTH = 50,
    MAX_CONNECTIONS = 128,
    RESOLVE_TIME_MS = 5000,
    IDLE_MS = 1,
    ACK = 14,
    NORMAL = 15,
    CLOSE = 16,
    SND_MORE = 128
};

struct metadata {
    int32_t type;
    int32_t flag;
    uint64_t length;
    uint64_t msg_addr;
    uint64_t mr_addr;
    uint32_t rkey;
    uint32_t padding;
};

enum request { RECEIVE = 1000, SEND = 2000, READ = 3000 };

struct connection {
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct metadata in[DEPTH];
    struct metadata out[DEPTH];
    struct ibv_mr *in_mr;
    struct ibv_mr *out_mr;
    unsigned out_busy[DEPTH];
    int free_peer;
    int unacknowledged;
    // announced and not yet read, by slot, oldest first
    int waiting[DEPTH];
    int waiting_count;
    int reading;
    char *read_to;
    struct ibv_mr *read_mr;
    int has_node;
    int32_t node;
    int closed;
    int gone;
    int32_t own_node;
    int sent;
    int answered;
};

static struct connection connections[MAX_CONNECTIONS];
static int connection_count;
static struct rdma_event_channel *events;
static int echoes;
static int count, size, more;

static void create_queue_pair(struct connection *c) {
    struct ibv_qp_init_attr attributes;
    int i;
    c->pd = ibv_alloc_pd(c->id->verbs);
    c->cq = ibv_create_cq(c->id->verbs, 2 * DEPTH, NULL, NULL, 0);
    if (!c->pd || !c->cq) {
        fail("no protection domain or completion queue");
    }
    memset(&attributes, 0, sizeof attributes);
    attributes.qp_type = IBV_QPT_RC;
    attributes.send_cq = c->cq;
    attributes.recv_cq = c->cq;
    attributes.cap.max_send_wr = DEPTH;
    attributes.cap.max_recv_wr = DEPTH;
    attributes.cap.max_send_sge = 1;
    attributes.cap.max_recv_sge = 1;
    if (rdma_create_qp(c->id, c->pd, &attributes)) {
        fail_verb("rdma_create_qp");
    }
    c->in_mr = ibv_reg_mr(c->pd, c->in, sizeof c->in, IBV_ACCESS_LOCAL_WRITE);
    c->out_mr = ibv_reg_mr(c->pd, c->out, sizeof c->out, 0);
    if (!c->in_mr || !c->out_mr) {
        fail_verb("ibv_reg_mr");
    }
    c->free_peer = DEPTH;
    c->id->context = c;
    for (i = 0; i < DEPTH; i++) {
        struct ibv_sge element = {(uintptr_t)&c->in[i], sizeof c->in[i], c->in_mr->lkey};
        struct ibv_recv_wr request = {.wr_id = RECEIVE + i, .sg_list = &element, .num_sge = 1}, *bad;
        if (ibv_post_recv(c->id->qp, &request, &bad)) {
            fail("ibv_post_recv failed");
        }
    }
}

static void repost(struct connection *c, int slot) {
    struct ibv_sge element = {(uintptr_t)&c->in[slot], sizeof c->in[slot], c->in_mr->lkey};
    struct ibv_recv_wr request = {.wr_id = RECEIVE + slot, .sg_list = &element, .num_sge = 1}, *bad;
    if (!c->closed && ibv_post_recv(c->id->qp, &request, &bad)) {
        fail("ibv_post_recv failed");
    }
}

static void progress(struct connection *c);

static void send_metadata(struct connection *c, const struct metadata *message) {
    int slot = 0;
    while (c->out_busy[slot]) {
        slot++;
        if (slot == DEPTH) {
            progress(c);
            slot = 0;
        }
    }
    c->out_busy[slot] = 1;
    c->out[slot] = *message;
    struct ibv_sge element = {(uintptr_t)&c->out[slot], sizeof *message, c->out_mr->lkey};
    struct ibv_send_wr request, *bad;
    memset(&request, 0, sizeof request);
    request.wr_id = SEND + slot;
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_SIGNALED;
    request.sg_list = &element;
    request.num_sge = 1;
    if (ibv_post_send(c->id->qp, &request, &bad)) {
        fail("ibv_post_send failed");
    }
}

// Only if the peer has room.
static void send_message(struct connection *c, const void *bytes, uint64_t length, int flag) {
    struct metadata message;
    memset(&message, 0, sizeof message);
    message.type = NORMAL;
    message.flag = flag;
    message.length = length;
    if (length > 0) {
        char *copy = malloc(length);
        struct ibv_mr *mr;
        memcpy(copy, bytes, length);
        mr = ibv_reg_mr(c->pd, copy, length, IBV_ACCESS_REMOTE_READ);
        if (!mr) {
            fail_verb("ibv_reg_mr");
        }
        message.msg_addr = (uintptr_t)copy;
        message.mr_addr = (uintptr_t)mr;
        message.rkey = mr->rkey;
    }
    c->free_peer--;
    c->unacknowledged++;
    send_metadata(c, &message);
}

static void send_text(struct connection *c, int number) {
    static char text[1 << 20];
    int is_last = (number + 1) % (more + 1) == 0 || number == count - 1;
    int written = snprintf(text, sizeof text, "message %d of node %d ", number, c->own_node);
    if (written < size) {
        memset(text + written, '.', size - written);
    }
    send_message(c, text, size, is_last ? 0 : SND_MORE);
}

static void deliver(struct connection *c, const struct metadata *message, const char *bytes) {
    if (!c->has_node) {
        if (message->length != sizeof c->node) {
            fail("node id: %d bytes (expected: 4)", (int)message->length);
        }
        memcpy(&c->node, bytes, sizeof c->node);
        c->has_node = 1;
        return;
    }
    if (c->own_node) {
        c->answered++;
        printf("answer: %.*s\n", (int)message->length, bytes ? bytes : "");
        return;
    }
    printf("node %d, flag %d: %.*s\n", c->node, message->flag, (int)message->length, bytes ? bytes : "");
    if (echoes) {
        send_message(c, bytes, message->length, 0);
    }
}

// Delivers the oldest message that waits, acknowledges it, posts its receive again.
static void finish_oldest(struct connection *c) {
    int slot = c->waiting[0];
    struct metadata message = c->in[slot];
    memmove(c->waiting, c->waiting + 1, sizeof c->waiting[0] * --c->waiting_count);
    c->reading = 0;
    deliver(c, &message, c->read_to);
    if (c->read_mr) {
        ibv_dereg_mr(c->read_mr);
        free(c->read_to);
    }
    c->read_mr = NULL;
    c->read_to = NULL;
    message.type = ACK;
    send_metadata(c, &message);
    repost(c, slot);
}

static void start_reading(struct connection *c) {
    struct metadata *message = &c->in[c->waiting[0]];
    struct ibv_sge element;
    struct ibv_send_wr request, *bad;
    if (message->length == 0) {
        finish_oldest(c);
        return;
    }
    c->read_to = malloc(message->length);
    c->read_mr = ibv_reg_mr(c->pd, c->read_to, message->length, IBV_ACCESS_LOCAL_WRITE);
    if (!c->read_mr) {
        fail_verb("ibv_reg_mr");
    }
    element.addr = (uintptr_t)c->read_to;
    element.length = (uint32_t)message->length;
    element.lkey = c->read_mr->lkey;
    memset(&request, 0, sizeof request);
    request.wr_id = READ;
    request.opcode = IBV_WR_RDMA_READ;
    request.send_flags = IBV_SEND_SIGNALED;
    request.sg_list = &element;
    request.num_sge = 1;
    request.wr.rdma.remote_addr = message->msg_addr;
    request.wr.rdma.rkey = message->rkey;
    if (ibv_post_send(c->id->qp, &request, &bad)) {
        fail("ibv_post_send failed");
    }
    c->reading = 1;
}

static void on_metadata(struct connection *c, int slot) {
    struct metadata *message = &c->in[slot];
    switch (message->type) {
    case NORMAL:
        c->waiting[c->waiting_count++] = slot;
        break;
    case ACK:
        if (message->mr_addr) {
            ibv_dereg_mr((struct ibv_mr *)(uintptr_t)message->mr_addr);
            free((void *)(uintptr_t)message->msg_addr);
        }
        c->free_peer++;
        c->unacknowledged--;
        repost(c, slot);
        break;
    case CLOSE:
        c->closed = 1;
        break;
    default:
        fail("type: %d (expected: 14, 15 or 16)", message->type);
    }
}

static void progress(struct connection *c) {
    struct ibv_wc wc;
    while (ibv_poll_cq(c->cq, 1, &wc) > 0) {
        if (wc.status == IBV_WC_WR_FLUSH_ERR) {
            continue;
        }
        if (wc.status != IBV_WC_SUCCESS) {
            fail("work request %d failed: %s", (int)wc.wr_id, ibv_wc_status_str(wc.status));
        }
        if (wc.wr_id >= READ) {
            finish_oldest(c);
        } else if (wc.wr_id >= SEND) {
            c->out_busy[wc.wr_id - SEND] = 0;
        } else {
            if (wc.byte_len != sizeof(struct metadata)) {
                fail("control message: %u bytes (expected: 40)", wc.byte_len);
            }
            on_metadata(c, (int)wc.wr_id - RECEIVE);
        }
    }
}

static int is_sending(const struct connection *c) {
    int i;
    for (i = 0; i < DEPTH; i++) {
        if (c->out_busy[i]) {
            return 1;
        }
    }
    return 0;
}

static void advance(struct connection *c) {
    progress(c);
    while (c->waiting_count > 0 && !c->reading) {
        start_reading(c);
    }
    if (!c->gone) {
        fflush(stdout);
    }
}

static struct rdma_cm_event *next_event(void) {
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(events, &event)) {
        fail_verb("rdma_get_cm_event");
    }
    return event;
}

static void on_disconnected(struct rdma_cm_event *event) {
    struct connection *c = event->id->context;
    rdma_ack_cm_event(event);
    if (c && !c->gone) {
        advance(c);
        rdma_disconnect(c->id);
        c->gone = 1;
    }
}

static void look_for_events(int wait_ms) {
    struct pollfd descriptor = {.fd = events->fd, .events = POLLIN};
    if (poll(&descriptor, 1, wait_ms) > 0) {
        struct rdma_cm_event *event = next_event();
        if (event->event == RDMA_CM_EVENT_DISCONNECTED) {
            on_disconnected(event);
        } else {
            rdma_ack_cm_event(event);
        }
    }
}

static void await_event_of(struct rdma_cm_id *id, enum rdma_cm_event_type type) {
    while (1) {
        struct rdma_cm_event *event = next_event();
        if (event->event == RDMA_CM_EVENT_DISCONNECTED) {
            on_disconnected(event);
            continue;
        }
        if (event->event != type || event->id != id) {
            fail("event %s, status %d", rdma_event_str(event->event), event->status);
        }
        rdma_ack_cm_event(event);
        return;
    }
}

static struct rdma_conn_param parameters(void) {
    struct rdma_conn_param p;
    memset(&p, 0, sizeof p);
    p.initiator_depth = 9;
    p.responder_resources = 9;
    p.rnr_retry_count = 7;
    return p;
}

static void open_connection(const char *host, const char *port, int32_t node) {
    struct connection *c = &connections[connection_count++];
    struct rdma_conn_param p = parameters();
    struct addrinfo *address;
    if (getaddrinfo(host, port, NULL, &address)) {
        fail("no such host: %s", host);
    }
    if (rdma_create_id(events, &c->id, NULL, RDMA_PS_TCP)) {
        fail_verb("rdma_create_id");
    }
    if (rdma_resolve_addr(c->id, NULL, address->ai_addr, RESOLVE_TIME_MS)) {
        fail_verb("rdma_resolve_addr");
    }
    freeaddrinfo(address);
    await_event_of(c->id, RDMA_CM_EVENT_ADDR_RESOLVED);
    if (rdma_resolve_route(c->id, RESOLVE_TIME_MS)) {
        fail_verb("rdma_resolve_route");
    }
    await_event_of(c->id, RDMA_CM_EVENT_ROUTE_RESOLVED);
    create_queue_pair(c);
    if (rdma_connect(c->id, &p)) {
        fail_verb("rdma_connect");
    }
    await_event_of(c->id, RDMA_CM_EVENT_ESTABLISHED);
    c->own_node = node;
    c->has_node = 1;
    send_message(c, &node, sizeof node, 0);
}

static void serve(int port, int expected) {
    struct rdma_cm_id *listener;
    struct sockaddr_in address;
    int i, done = 0;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    if (rdma_create_id(events, &listener, NULL, RDMA_PS_TCP)
        || rdma_bind_addr(listener, (struct sockaddr *)&address) || rdma_listen(listener, 10)) {
        fail_verb("rdma_listen");
    }
    printf("listening on port %d.\n", ntohs(rdma_get_src_port(listener)));
    fflush(stdout);
    while (done < expected) {
        struct pollfd descriptor = {.fd = events->fd, .events = POLLIN};
        if (poll(&descriptor, 1, IDLE_MS) > 0) {
            struct rdma_cm_event *event = next_event();
            if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
                struct connection *c = &connections[connection_count++];
                struct rdma_conn_param p = parameters();
                c->id = event->id;
                rdma_ack_cm_event(event);
                create_queue_pair(c);
                if (rdma_accept(c->id, &p)) {
                    fail_verb("rdma_accept");
                }
            } else if (event->event == RDMA_CM_EVENT_DISCONNECTED) {
                on_disconnected(event);
            } else {
                rdma_ack_cm_event(event);
            }
        }
        for (i = 0, done = 0; i < connection_count; i++) {
            if (connections[i].gone) {
                done++;
            } else {
                advance(&connections[i]);
            }
        }
    }
    for (i = 0; i < connection_count; i++) {
        printf("node %d %s\n", connections[i].node, connections[i].closed ? "closed" : "died");
    }
}

static void close_connection(struct connection *c) {
    struct metadata message;
    while (!c->gone && (c->unacknowledged > 0 || is_sending(c))) {
        advance(c);
        look_for_events(0);
    }
    if (c->unacknowledged > 0) {
        fail("node %d: %d messages not acknowledged", c->own_node, c->unacknowledged);
    }
    if (c->gone) {
        return;
    }
    memset(&message, 0, sizeof message);
    message.type = CLOSE;
    send_metadata(c, &message);
    while (is_sending(c) && !c->gone) {
        advance(c);
        look_for_events(0);
    }
    if (!c->gone) {
        rdma_disconnect(c->id);
    }
    while (!c->gone) {
        look_for_events(-1);
    }
}

static void send_all(void) {
    int i, left = connection_count;
    while (left > 0) {
        left = 0;
        for (i = 0; i < connection_count; i++) {
            struct connection *c = &connections[i];
            advance(c);
            if (c->sent < count && c->free_peer > 0) {
                send_text(c, c->sent++);
            }
            left += c->sent < count;
        }
    }
}

static void call_all(void) {
    struct connection *c = &connections[0];
    while (c->answered < count) {
        advance(c);
        if (c->sent == c->answered && c->sent < count && c->free_peer > 0) {
            send_text(c, c->sent++);
        }
    }
}

int main(int argc, char **argv) {
    int i;
    set_time_limit(TIME_LIMIT_SECONDS);
    events = rdma_create_event_channel();
    if (!events) {
        fail_verb("rdma_create_event_channel");
    }
    if (argc == 4 && !strcmp(argv[1], "receive")) {
        serve(atoi(argv[2]), atoi(argv[3]));
    } else if (argc == 3 && !strcmp(argv[1], "echo")) {
        echoes = 1;
        serve(atoi(argv[2]), 1);
    } else if (argc == 9 && !strcmp(argv[1], "send")) {
        count = atoi(argv[6]);
        size = atoi(argv[7]);
        more = atoi(argv[8]);
        for (i = 0; i < atoi(argv[5]); i++) {
            open_connection(argv[2], argv[3], atoi(argv[4]) + i);
        }
        send_all();
    } else if (argc == 7 && !strcmp(argv[1], "call")) {
        count = atoi(argv[5]);
        size = atoi(argv[6]);
        open_connection(argv[2], argv[3], atoi(argv[4]));
        call_all();
    } else {
        fail("usage: see the top of rdma_socket_peer.c");
    }
    if (!strcmp(argv[1], "send") || !strcmp(argv[1], "call")) {
        for (i = 0; i < connection_count; i++) {
            close_connection(&connections[i]);
        }
        printf("closed %d connections\n", connection_count);
    }
    return 0;
}
