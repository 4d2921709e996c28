// A push bot in C# (.NET 8, or Mono), with nothing but the standard library.
//
// MONTEGO_BOT_SECRET=whsec_… dotnet run -- 9001
// (Without the secret, anybody who can reach the port may ask.)
using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Threading;

static class Push
{
    const string Information =
        "{\"protocol\":\"montego-bay/1\",\"name\":\"csharp-push\",\"version\":\"1\",\"author\":\"you\"}";

    static readonly ThreadLocal<Random> Chance = new ThreadLocal<Random>(() => new Random());

    // Your idea goes here: return the index of one of the legal actions. This example picks one at random.
    static int Choose(string ask)
    {
        return Chance.Value.Next(CountLegalActions(ask));
    }

    // How many objects the list legal_actions has. No text in an action has a bracket.
    static int CountLegalActions(string ask)
    {
        int depth = 0, count = 0;
        for (int at = ask.IndexOf('[', ask.IndexOf("\"legal_actions\"")); at < ask.Length; at++)
        {
            if (ask[at] == '{' && depth == 1) count++;
            if (ask[at] == '{' || ask[at] == '[') depth++;
            if ((ask[at] == '}' || ask[at] == ']') && --depth == 0) break;
        }
        return count;
    }

    // Standard Webhooks: HMAC-SHA256 over id, time and body, not older than five minutes.
    static bool IsSigned(HttpListenerRequest request, string body)
    {
        string secret = (Environment.GetEnvironmentVariable("MONTEGO_BOT_SECRET") ?? "").Trim();
        if (secret == "") return true;
        string id = request.Headers["webhook-id"], at = request.Headers["webhook-timestamp"];
        if (!long.TryParse(at, out long then)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - then) > 300) return false;
        using (var mac = new HMACSHA256(Convert.FromBase64String(secret.Replace("whsec_", ""))))
        {
            byte[] sum = mac.ComputeHash(Encoding.UTF8.GetBytes(id + "." + at + "." + body));
            string good = "v1," + Convert.ToBase64String(sum);
            // After a rotation there are two signatures, one for each valid secret.
            foreach (string one in (request.Headers["webhook-signature"] ?? "").Split(' '))
                if (IsSame(one, good)) return true;
        }
        return false;
    }

    // Takes as long for every text, so that its time says nothing about the signature.
    static bool IsSame(string one, string other)
    {
        int difference = one.Length ^ other.Length;
        for (int i = 0; i < one.Length && i < other.Length; i++) difference |= one[i] ^ other[i];
        return difference == 0;
    }

    static void Serve(HttpListenerContext context)
    {
        string call = context.Request.HttpMethod + " " + context.Request.Url.AbsolutePath;
        string body = new StreamReader(context.Request.InputStream, Encoding.UTF8).ReadToEnd();
        if (call == "GET /") Reply(context, 200, Information);
        else if (!IsSigned(context.Request, body)) Reply(context, 401, "{\"title\":\"the signature does not fit\"}");
        else if (call == "POST /start" || call == "POST /end") Reply(context, 200, "{}");
        else if (call != "POST /act") Reply(context, 404, "{}");
        else if (!body.Contains("\"legal_actions\"")) Reply(context, 400, "{\"title\":\"this is no ask\"}");
        else Reply(context, 200, "{\"index\":" + Choose(body) + "}");
    }

    static void Reply(HttpListenerContext context, int status, string text)
    {
        byte[] body = Encoding.UTF8.GetBytes(text);
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/json";
        context.Response.Close(body, true);
    }

    static void Main(string[] arguments)
    {
        // In a container: *.
        string host = Environment.GetEnvironmentVariable("MONTEGO_BOT_HOST") ?? "127.0.0.1";
        int port = int.Parse(arguments[0]);
        var listener = new HttpListener();
        listener.Prefixes.Add("http://" + host + ":" + port + "/");
        listener.Start();
        Console.WriteLine("listening at http://" + host + ":" + port);
        while (true)
        {
            HttpListenerContext context = listener.GetContext();
            ThreadPool.QueueUserWorkItem(_ => Serve(context));
        }
    }
}
