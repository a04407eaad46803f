// SPDX-License-Identifier: Apache-2.0
package io.verbena.protoc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The imports of one source. A class is imported if its simple name can mean nothing else there;
 * otherwise it is written with its package.
 */
final class Imports {
    private static final String JAVA_LANG = "java.lang.";

    private final String javaPackage;
    private final Predicate<String> isInPackage;
    private final Map<String, String> bySimpleName = new HashMap<>();

    /**
     * No imports so far.
     *
     * @param javaPackage the package of the source
     * @param declared the classes that the source declares, nested ones included
     * @param isInPackage says which classes are in the same package
     */
    Imports(String javaPackage, List<String> declared, Predicate<String> isInPackage) {
        this.javaPackage = javaPackage;
        this.isInPackage = isInPackage;
        declared.forEach(name -> bySimpleName.put(name, ""));
    }

    /** {@return how a class is written in the source} */
    String use(String qualified) {
        int dot = qualified.lastIndexOf('.');
        String simple = qualified.substring(dot + 1);
        boolean isHidden = qualified.startsWith(JAVA_LANG) && isInPackage.test(simple);
        // what is in no package cannot be imported, and what is nested in that neither
        if (isHidden || javaPackage.isEmpty() && !qualified.contains(".")) {
            return qualified;
        }
        if (javaPackage.isEmpty() && Character.isUpperCase(qualified.charAt(0))) {
            return qualified;
        }
        return bySimpleName.computeIfAbsent(simple, none -> qualified).equals(qualified)
                ? simple
                : qualified;
    }

    /** {@return the import declarations, in order} */
    String text() {
        TreeSet<String> lines = new TreeSet<>();
        for (Map.Entry<String, String> entry : bySimpleName.entrySet()) {
            String qualified = entry.getValue();
            String samePackage = ProtoFiles.qualified(javaPackage, entry.getKey());
            boolean isKnown =
                    qualified.isEmpty()
                            || qualified.equals(samePackage)
                            || qualified.equals(JAVA_LANG + entry.getKey());
            if (!isKnown) {
                lines.add("import " + qualified + ";\n");
            }
        }
        return String.join("", lines);
    }
}
