// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

/** Whether the server accepts calls; for load balancers. */
final class HealthPage implements Page {
    @Override
    public String name() {
        return "health";
    }

    @Override
    public String description() {
        return "OK if the server accepts calls";
    }

    /** Load balancers have no credentials. */
    @Override
    public boolean isPublic() {
        return true;
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        if (request.server().isStopping()) {
            throw new RefusedRequestException(
                    HttpStatus.SERVICE_UNAVAILABLE, "the server is stopping");
        }
        return RawContent.text("OK\n");
    }
}
