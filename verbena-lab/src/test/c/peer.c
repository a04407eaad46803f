// SPDX-License-Identifier: Apache-2.0

#define _POSIX_C_SOURCE 200809L

#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE_DEPTH = 10, BACKLOG = 10, RESOLVE_MS = 2000 };

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void fail_verb(const char *verb) {
    fail("%s failed: %s", verb, strerror(errno));
}

static void on_alarm(int signal) {
    static const char text[] = "the time limit has passed\n";
    (void)signal;
    // Neither stdio nor exit() may be used here; what was printed before is in the pipe already.
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(2);
    }
    _exit(1);
}

void set_time_limit(unsigned seconds) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(seconds);
}

static void await_event(struct peer *peer, enum rdma_cm_event_type expected, struct rdma_cm_id **id) {
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(peer->events, &event)) {
        fail_verb("rdma_get_cm_event");
    }
    if (event->event != expected) {
        fail("event: %s, status %d (expected: %s)", rdma_event_str(event->event), event->status,
             rdma_event_str(expected));
    }
    if (id) {
        *id = event->id;
    }
    rdma_ack_cm_event(event);
}

static void open_events(struct peer *peer, struct rdma_cm_id **id) {
    memset(peer, 0, sizeof *peer);
    peer->events = rdma_create_event_channel();
    if (!peer->events) {
        fail_verb("rdma_create_event_channel");
    }
    if (rdma_create_id(peer->events, id, NULL, RDMA_PS_TCP)) {
        fail_verb("rdma_create_id");
    }
}

static void create_queue_pair(struct peer *peer) {
    struct ibv_qp_init_attr attributes;
    peer->pd = ibv_alloc_pd(peer->id->verbs);
    peer->completions = ibv_create_comp_channel(peer->id->verbs);
    if (!peer->pd || !peer->completions) {
        fail("no protection domain or completion channel");
    }
    peer->cq = ibv_create_cq(peer->id->verbs, QUEUE_DEPTH, NULL, peer->completions, 0);
    if (!peer->cq) {
        fail_verb("ibv_create_cq");
    }
    memset(&attributes, 0, sizeof attributes);
    attributes.qp_type = IBV_QPT_RC;
    attributes.send_cq = peer->cq;
    attributes.recv_cq = peer->cq;
    attributes.cap.max_send_wr = QUEUE_DEPTH;
    attributes.cap.max_recv_wr = QUEUE_DEPTH;
    attributes.cap.max_send_sge = 1;
    attributes.cap.max_recv_sge = 1;
    if (rdma_create_qp(peer->id, peer->pd, &attributes)) {
        fail_verb("rdma_create_qp");
    }
}

void take_request(struct peer *peer, int port) {
    struct sockaddr_in address;
    struct rdma_cm_id *listener;
    open_events(peer, &listener);
    peer->listener = listener;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    if (rdma_bind_addr(listener, (struct sockaddr *)&address)) {
        fail_verb("rdma_bind_addr");
    }
    if (rdma_listen(listener, BACKLOG)) {
        fail_verb("rdma_listen");
    }
    printf("listening on port %d.\n", ntohs(rdma_get_src_port(listener)));
    await_event(peer, RDMA_CM_EVENT_CONNECT_REQUEST, &peer->id);
    printf("received connection request.\n");
    create_queue_pair(peer);
}

void accept_request(struct peer *peer, struct rdma_conn_param *parameters) {
    if (rdma_accept(peer->id, parameters)) {
        fail_verb("rdma_accept");
    }
    await_event(peer, RDMA_CM_EVENT_ESTABLISHED, NULL);
}

void resolve(struct peer *peer, const char *host, const char *port) {
    struct addrinfo *address;
    int problem = getaddrinfo(host, port, NULL, &address);
    if (problem) {
        fail("getaddrinfo failed: %s", gai_strerror(problem));
    }
    open_events(peer, &peer->id);
    if (rdma_resolve_addr(peer->id, NULL, address->ai_addr, RESOLVE_MS)) {
        fail_verb("rdma_resolve_addr");
    }
    freeaddrinfo(address);
    await_event(peer, RDMA_CM_EVENT_ADDR_RESOLVED, NULL);
    printf("address resolved.\n");
    create_queue_pair(peer);
    if (rdma_resolve_route(peer->id, RESOLVE_MS)) {
        fail_verb("rdma_resolve_route");
    }
    await_event(peer, RDMA_CM_EVENT_ROUTE_RESOLVED, NULL);
    printf("route resolved.\n");
}

void connect_to_server(struct peer *peer, struct rdma_conn_param *parameters) {
    if (rdma_connect(peer->id, parameters)) {
        fail_verb("rdma_connect");
    }
    await_event(peer, RDMA_CM_EVENT_ESTABLISHED, NULL);
}

struct ibv_mr *register_memory(struct peer *peer, void *memory, size_t length, int access) {
    struct ibv_mr *mr = ibv_reg_mr(peer->pd, memory, length, access);
    if (!mr) {
        fail_verb("ibv_reg_mr");
    }
    return mr;
}

static struct ibv_sge whole(const struct ibv_mr *mr) {
    struct ibv_sge element;
    element.addr = (uintptr_t)mr->addr;
    element.length = (uint32_t)mr->length;
    element.lkey = mr->lkey;
    return element;
}

void post_receive(struct peer *peer, struct ibv_mr *mr) {
    struct ibv_sge element = whole(mr);
    struct ibv_recv_wr request, *bad;
    memset(&request, 0, sizeof request);
    request.sg_list = &element;
    request.num_sge = 1;
    if (ibv_post_recv(peer->id->qp, &request, &bad)) {
        fail("ibv_post_recv failed");
    }
}

static void post(struct peer *peer, struct ibv_send_wr *request, const struct ibv_mr *mr) {
    struct ibv_sge element = whole(mr);
    struct ibv_send_wr *bad;
    request->sg_list = &element;
    request->num_sge = 1;
    if (ibv_post_send(peer->id->qp, request, &bad)) {
        fail("ibv_post_send failed");
    }
}

void post_send(struct peer *peer, struct ibv_mr *mr, unsigned flags) {
    struct ibv_send_wr request;
    memset(&request, 0, sizeof request);
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_SIGNALED | flags;
    post(peer, &request, mr);
}

void post_rdma(struct peer *peer, enum ibv_wr_opcode opcode, struct ibv_mr *mr, uint64_t address, uint32_t rkey) {
    struct ibv_send_wr request;
    memset(&request, 0, sizeof request);
    request.opcode = opcode;
    request.send_flags = IBV_SEND_SIGNALED;
    request.wr.rdma.remote_addr = address;
    request.wr.rdma.rkey = rkey;
    post(peer, &request, mr);
}

static void acknowledge_completion_event(struct peer *peer) {
    struct ibv_cq *cq;
    void *context;
    if (ibv_get_cq_event(peer->completions, &cq, &context)) {
        fail_verb("ibv_get_cq_event");
    }
    ibv_ack_cq_events(cq, 1);
}

static int take_completion(struct peer *peer, struct ibv_wc *wc) {
    int taken = ibv_poll_cq(peer->cq, 1, wc);
    if (taken < 0) {
        fail("ibv_poll_cq failed: %d", taken);
    }
    return taken;
}

enum news await_news(struct peer *peer, struct ibv_wc *wc) {
    struct pollfd descriptors[2];
    memset(descriptors, 0, sizeof descriptors);
    descriptors[0].fd = peer->completions->fd;
    descriptors[0].events = POLLIN;
    descriptors[1].fd = peer->events->fd;
    descriptors[1].events = POLLIN;
    while (!take_completion(peer, wc)) {
        if (ibv_req_notify_cq(peer->cq, 0)) {
            fail("ibv_req_notify_cq failed");
        }
        // What completed before the request makes no event.
        if (take_completion(peer, wc)) {
            return COMPLETED;
        }
        if (poll(descriptors, 2, -1) < 0) {
            fail_verb("poll");
        }
        if (descriptors[0].revents) {
            acknowledge_completion_event(peer);
        } else if (descriptors[1].revents) {
            await_event(peer, RDMA_CM_EVENT_DISCONNECTED, NULL);
            // The queue pair goes to the error state only when this side disconnects, too.
            rdma_disconnect(peer->id);
            return DISCONNECTED;
        }
    }
    return COMPLETED;
}

void disconnect(struct peer *peer) {
    if (rdma_disconnect(peer->id)) {
        fail_verb("rdma_disconnect");
    }
    await_event(peer, RDMA_CM_EVENT_DISCONNECTED, NULL);
}

void close_peer(struct peer *peer) {
    rdma_destroy_qp(peer->id);
    ibv_destroy_cq(peer->cq);
    ibv_destroy_comp_channel(peer->completions);
    if (ibv_dealloc_pd(peer->pd)) {
        fail("ibv_dealloc_pd failed: something is still registered");
    }
    rdma_destroy_id(peer->id);
    if (peer->listener) {
        rdma_destroy_id(peer->listener);
    }
    rdma_destroy_event_channel(peer->events);
}
