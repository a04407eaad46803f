// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares every C structure, field and constant of this module with the system's headers. They are
 * found by reflection in all classes, so that none can be forgotten.
 */
class LayoutTest {
    @TempDir Path folder;

    @Test
    void shouldAgreeWithTheHeaders() throws Exception {
        CHeaders headers = new CHeaders(folder);
        String missing = headers.missing();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
        Map<String, Long> ours = expectations();

        Map<String, Long> theirs = headers.values(List.copyOf(ours.keySet()));

        assertThat(theirs).hasSameSizeAs(ours);
        assertThat(differences(ours, theirs)).isEmpty();
    }

    private static List<String> differences(Map<String, Long> ours, Map<String, Long> theirs) {
        List<String> differences = new ArrayList<>();
        theirs.forEach(
                (expression, value) -> {
                    if (!value.equals(ours.get(expression))) {
                        differences.add(
                                expression
                                        + ": "
                                        + ours.get(expression)
                                        + " (expected: "
                                        + value
                                        + ")");
                    }
                });
        return differences;
    }

    @Test
    void shouldFindTheConstantsOfAllClasses() throws Exception {
        assertThat(expectations())
                .containsKeys(
                        "sizeof(struct ibv_context)",
                        "offsetof(struct epoll_event, data)",
                        "sizeof(((struct ibv_port_attr *) 0)->lid)",
                        "IBV_QPT_RC",
                        "IBV_WC_GENERAL_ERR");
    }

    /** {@return C expressions and the values this module believes they have} */
    private static Map<String, Long> expectations() throws Exception {
        Map<String, Long> expected = new LinkedHashMap<>();
        for (Object constant : constants()) {
            switch (constant) {
                case CStruct s -> expected.put("sizeof(" + s.name() + ")", s.size());
                case CField f -> {
                    String type = f.struct().name();
                    expected.put("offsetof(" + type + ", " + f.name() + ")", f.offset());
                    expected.put(
                            "sizeof(((" + type + " *) 0)->" + f.name() + ")", (long) f.width());
                }
                case CConstant c -> expected.put(c.name(), (long) c.value());
                default -> throw new AssertionError(constant);
            }
        }
        return expected;
    }

    private static List<Object> constants() throws Exception {
        List<Object> found = new ArrayList<>();
        for (Class<?> type : classes()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && isLayout(field)) {
                    field.setAccessible(true);
                    Object value = field.get(null);
                    found.addAll(value instanceof List<?> list ? list : List.of(value));
                }
            }
        }
        return found;
    }

    private static boolean isLayout(Field field) {
        return field.getType() == CStruct.class
                || field.getType() == CField.class
                || field.getType() == CConstant.class
                || field.getGenericType()
                        .getTypeName()
                        .endsWith("List<" + CConstant.class.getName() + ">");
    }

    /** {@return all classes of the package, from the module and its tests} */
    private static List<Class<?>> classes() throws Exception {
        List<Class<?>> classes = new ArrayList<>();
        for (Path root : List.of(root(IbvLayout.class), root(LayoutTest.class))) {
            Path folder = root.resolve(IbvLayout.class.getPackageName().replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                    classes.add(load(file));
                }
            }
        }
        return classes.stream().distinct().toList();
    }

    private static Class<?> load(Path file) throws ClassNotFoundException {
        String name = file.getFileName().toString().replace(".class", "");
        String full = IbvLayout.class.getPackageName() + "." + name;
        return Class.forName(full, false, LayoutTest.class.getClassLoader());
    }

    private static Path root(Class<?> type) throws URISyntaxException, IOException {
        String own = type.getSimpleName() + ".class";
        Path file = Path.of(type.getResource(own).toURI());
        return file.getParent().resolve("../../../..").toRealPath();
    }
}
