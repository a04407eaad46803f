// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Map;

/** Fields that few calls need: most controllers share {@link #NONE}. */
final class ControllerExtras {
    static final ControllerExtras NONE = new ControllerExtras(Map.of(), Map.of());

    private final Map<String, String> requestUserFields;
    private final Map<String, String> responseUserFields;
    private String requestId = "";

    ControllerExtras(Map<String, String> request, Map<String, String> response) {
        requestUserFields = request;
        responseUserFields = response;
    }

    String requestId() {
        return requestId;
    }

    void requestId(String value) {
        requestId = value;
    }

    Map<String, String> requestUserFields() {
        return requestUserFields;
    }

    Map<String, String> responseUserFields() {
        return responseUserFields;
    }
}
