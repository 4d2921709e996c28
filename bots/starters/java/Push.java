// A push bot in Java (17 or newer), with nothing but the standard library, which has no JSON.
//
// MONTEGO_BOT_SECRET=whsec_… java Push.java 9003
// (Without the secret, anybody who can reach the port may ask.)
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Push {
    static final String INFORMATION =
        "{\"protocol\":\"montego-bay/1\",\"name\":\"java-push\",\"version\":\"1\",\"author\":\"you\"}";

    /** Your idea goes here: return the index of one of the legal actions. This example picks one at random. */
    static int choose(String ask) {
        return ThreadLocalRandom.current().nextInt(countLegalActions(ask));
    }

    /** How many objects the list legal_actions has. No text in an action has a bracket. */
    static int countLegalActions(String ask) {
        int depth = 0;
        int count = 0;
        for (int at = ask.indexOf('[', ask.indexOf("\"legal_actions\"")); at < ask.length(); at++) {
            char c = ask.charAt(at);
            if (c == '{' && depth == 1) count++;
            if (c == '{' || c == '[') depth++;
            if ((c == '}' || c == ']') && --depth == 0) break;
        }
        return count;
    }

    /** Standard Webhooks: HMAC-SHA256 over id, time and body, not older than five minutes. */
    static boolean isSigned(HttpExchange exchange, byte[] body) {
        String secret = System.getenv("MONTEGO_BOT_SECRET");
        if (secret == null || secret.isBlank()) return true;
        var headers = exchange.getRequestHeaders();
        try {
            String id = headers.getFirst("webhook-id");
            String at = headers.getFirst("webhook-timestamp");
            if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(at)) > 300) return false;
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.strip().replaceFirst("^whsec_", "")), "HmacSHA256"));
            mac.update((id + "." + at + ".").getBytes(StandardCharsets.UTF_8));
            byte[] good = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
            // After a rotation there are two signatures, one for each valid secret.
            for (String one : headers.getFirst("webhook-signature").split(" ")) {
                if (MessageDigest.isEqual(one.getBytes(), good)) return true;
            }
            return false;
        } catch (GeneralSecurityException | RuntimeException error) {
            return false;
        }
    }

    static void reply(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    static void serve(HttpExchange exchange) throws IOException {
        String call = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (call.equals("GET /")) reply(exchange, 200, INFORMATION);
        else if (!isSigned(exchange, body)) reply(exchange, 401, "{\"title\":\"the signature does not fit\"}");
        else if (call.equals("POST /act")) {
            String ask = new String(body, StandardCharsets.UTF_8);
            if (!ask.contains("\"legal_actions\"")) reply(exchange, 400, "{\"title\":\"this is no ask\"}");
            else reply(exchange, 200, "{\"index\":" + choose(ask) + "}");
        } else reply(exchange, call.equals("POST /start") || call.equals("POST /end") ? 200 : 404, "{}");
    }

    public static void main(String[] arguments) throws IOException {
        // Else the second half of an answer waits 40 ms for the first to be acknowledged.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // In a container: 0.0.0.0.
        String host = System.getenv().getOrDefault("MONTEGO_BOT_HOST", "127.0.0.1");
        var server = HttpServer.create(new InetSocketAddress(host, Integer.parseInt(arguments[0])), 128);
        server.createContext("/", Push::serve);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        System.out.println("listening at http://" + host + ":" + server.getAddress().getPort());
    }
}
