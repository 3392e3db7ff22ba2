// Garbage in a JVM: GET /alloc?kb=N makes N KB of objects, GET /work?us=N burns N microseconds, GET /gc says
// what the MXBeans of the collectors say: {"collections":{"G1 Young Generation":12},"ms":20}.
//   java Collector.java PORT      env: LIVE_MB=N (live objects that a full collection has to mark)

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

public class Collector {
  record Item(int number, String text, int[] data) {}

  static final List<Item> live = new ArrayList<>();
  static final Object[] kept = new Object[256];
  static int next = 0;

  static List<Item> make(int kb) {
    List<Item> made = new ArrayList<>();
    for (int i = 0; i < kb * 8; i++) made.add(new Item(i, "item " + i, new int[12]));
    return made;
  }

  static String collectors() {
    StringBuilder s = new StringBuilder("{\"collections\":{");
    long ms = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      if (s.charAt(s.length() - 1) != '{') s.append(',');
      s.append('"').append(bean.getName()).append("\":").append(bean.getCollectionCount());
      ms += bean.getCollectionTime();
    }
    return s.append("},\"ms\":").append(ms).append("}\n").toString();
  }

  static String answer(HttpExchange exchange) {
    String path = exchange.getRequestURI().getPath();
    String query = exchange.getRequestURI().getQuery();
    int number = query == null ? 64 : Integer.parseInt(query.substring(query.indexOf('=') + 1));
    if (path.equals("/alloc")) {
      Object made = make(number);
      synchronized (kept) {
        kept[next++ % kept.length] = made;
      }
      return "made\n";
    }
    if (path.equals("/work")) {
      long until = System.nanoTime() + number * 1000L;
      while (System.nanoTime() < until) Thread.onSpinWait();
      return "worked\n";
    }
    return path.equals("/gc") ? collectors() : "ok\n";
  }

  static void handle(HttpExchange exchange) throws IOException {
    byte[] body = answer(exchange).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  public static void main(String[] words) throws IOException {
    String mb = System.getenv("LIVE_MB");
    if (mb != null) live.addAll(make(1024 * Integer.parseInt(mb)));
    int port = Integer.parseInt(words[0]);
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 1024);
    server.createContext("/", Collector::handle);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("READY " + port);
  }
}
