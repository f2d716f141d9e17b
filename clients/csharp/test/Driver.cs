// Drives the client for the test vectors: one command a line, one answer a line.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Telos;
using Fields = System.Collections.Generic.Dictionary<string, object>;

public static class Driver
{
    private static TelosClient client;
    private static readonly List<object> notices = new List<object>();

    public static void Main()
    {
        var input = new System.IO.StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        var output = new System.IO.StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
        for (var line = input.ReadLine(); line != null; line = input.ReadLine())
        {
            Fields said;
            try { said = Answer((Fields)Json.Read(line)); }
            catch (ArgumentException error) { said = new Fields { { "error", error.Message } }; }
            output.WriteLine(Json.Write(said));
        }
        if (client != null) client.Dispose();
    }

    private static Fields Answer(Fields command)
    {
        switch ((string)command["do"])
        {
            case "open": Open(command); return new Fields();
            case "send": return new Fields { { "taken", ((List<object>)command["events"]).Count(each => Send((Fields)each)) } };
            case "subscribe": client.Subscribe(Players(command)); return new Fields();
            case "unsubscribe": client.Unsubscribe(Players(command)); return new Fields();
            case "settle": return new Fields { { "settled", client.Settle() } };
            case "counts": return Counts();
            case "belief": return new Fields { { "belief", Describe(client.BeliefAbout((string)command["player"])) } };
            case "notices": return Notices();
            case "time": return Time((int)Number(command, "count", 1000));
            case "pause": Thread.Sleep((int)(1000 * (double)command["seconds"])); return new Fields();
            case "close": return new Fields { { "waiting", client.Close(Number(command, "seconds", 5)) } };
            case "plan": return Ask(client.Plan((Fields)command["state"], (string)command["goal"], Text(command, "domain")));
            case "choose": return Ask(client.Choose((List<object>)command["actions"], (List<object>)command["goals"]));
            case "player": return Ask(client.Player((string)command["player"]));
            default: throw new ArgumentException("unknown command " + command["do"]);
        }
    }

    private static Fields Time(int count)
    {
        var times = new double[count];
        for (var i = 0; i < count; i++)
        {
            var watch = System.Diagnostics.Stopwatch.StartNew();
            client.Send("ann", "swing", new Fields { { "monsters", i % 3 }, { "in_town", false } });
            times[i] = 1e6 * watch.ElapsedTicks / System.Diagnostics.Stopwatch.Frequency;
        }
        Array.Sort(times);
        return new Fields { { "median", times[count / 2] }, { "p99", times[count * 99 / 100] }, { "longest", times[count - 1] } };
    }

    private static void Open(Fields command)
    {
        var retry = ((List<object>)command["retry"]).Cast<double>().ToArray();
        client = new TelosClient((string)command["address"], new ClientOptions
        {
            Token = Text(command, "token"), Model = Text(command, "model"), Capacity = (int)Number(command, "capacity", 10000),
            Window = (int)Number(command, "window", 16), EveryBelief = command.ContainsKey("every_belief"),
            FirstRetry = retry[0], LongestRetry = retry[1],
        });
        notices.Clear();
        client.BeliefChanged += belief => Tell("belief", "belief", Describe(belief));
        client.EventRefused += refused => notices.Add(new Fields
        {
            { "kind", "refused" }, { "player", refused.Player }, { "event", new Fields { { "action", refused.Action }, { "id", refused.Id } } },
            { "problem", refused.Problem.Document },
        });
        client.EventsDropped += count => Tell("dropped", "count", count);
        client.SubscriptionRefused += problem => Tell("problem", "problem", problem.Document);
        client.Online += () => notices.Add(new Fields { { "kind", "online" } });
        client.Offline += (reason, wait) => notices.Add(new Fields { { "kind", "offline" }, { "reason", reason }, { "wait", wait } });
    }

    private static void Tell(string kind, string name, object value)
    {
        notices.Add(new Fields { { "kind", kind }, { name, value } });
    }

    private static bool Send(Fields said)
    {
        object context, time;
        said.TryGetValue("context", out context);
        said.TryGetValue("time", out time);
        return client.Send((string)said["player"], (string)said["action"], (Fields)context, (double?)time, Text(said, "goal"));
    }

    private static Fields Notices()
    {
        client.Poll();
        var found = new List<object>(notices);
        notices.Clear();
        return new Fields { { "notices", found } };
    }

    private static Fields Counts()
    {
        var counts = client.Counts;
        return new Fields
        {
            { "taken", counts.Taken }, { "acknowledged", counts.Acknowledged }, { "refused", counts.Refused },
            { "dropped", counts.Dropped }, { "waiting", counts.Waiting }, { "connected", client.IsConnected },
        };
    }

    private static object Describe(Belief belief)
    {
        return belief == null ? null : new Fields
        {
            { "player", belief.Player }, { "model", belief.Model }, { "seq", belief.Seq }, { "time", belief.Time },
            { "top", belief.Top }, { "goals", belief.Goals }, { "repeated", belief.Repeated },
        };
    }

    private static Fields Ask(Task<Fields> question)
    {
        try { return new Fields { { "answer", question.GetAwaiter().GetResult() } }; }
        catch (ServiceException error) { return new Fields { { "problem", error.Problem.Document } }; }
    }

    private static string[] Players(Fields command) { return ((List<object>)command["players"]).Cast<string>().ToArray(); }

    private static string Text(Fields fields, string name)
    {
        object found;
        return fields.TryGetValue(name, out found) ? (string)found : null;
    }

    private static double Number(Fields fields, string name, double otherwise)
    {
        object found;
        return fields.TryGetValue(name, out found) ? (double)found : otherwise;
    }
}
