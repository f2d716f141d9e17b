// What a client has to send and what it has heard; it knows no network.
//
// An event waits until the service has answered for it. Events go into messages with numbers; a message that is not
// answered when a connection breaks is sent again over the next one, with the same number and the same event ids, so
// that nothing acknowledged is lost and nothing is counted twice.

using System;
using System.Collections.Generic;
using System.Text;

namespace Telos
{
    internal enum NoticeKind { Belief, Refused, Dropped, Problem, Online, Offline }

    internal sealed class Notice
    {
        public NoticeKind Kind;
        public Belief Belief;
        public RefusedEvent Refused;
        public Problem Problem;
        public long Count;
        public string Reason;
        public double Wait;
    }

    /// <summary>The queue of a client; any thread may use it.</summary>
    internal sealed class Outbox
    {
        private const int MaxEventBytes = 60000; // of one event; the service would close the connection for a larger message
        private const int MaxMessageEvents = 200;
        private const int MaxMessageLength = 250000;
        private const int MaxNotices = 10000; // that wait for the game, beside one belief of each player

        private sealed class Item
        {
            public string Player;
            public string Action;
            public string Id;
            public string Text;
        }

        private sealed class Message
        {
            public long Seq;
            public string Text;
            public int Count;
            public Dictionary<string, List<Item>> Items = new Dictionary<string, List<Item>>();
        }

        private struct Known
        {
            public Belief Belief;
            public long HeardAfter; // the last message that was numbered when the belief came as news
        }

        private readonly object _lock = new object();
        private readonly ClientOptions _options;
        private readonly string _sender;
        private readonly Queue<Item> _queue = new Queue<Item>();
        private readonly LinkedList<Message> _unanswered = new LinkedList<Message>();
        private LinkedListNode<Message> _next; // of the unanswered messages, the first that did not go over this connection
        private int _sent; // of them, how many did
        private readonly Queue<string> _controls = new Queue<string>();
        private readonly HashSet<string> _wanted = new HashSet<string>();
        private readonly Dictionary<string, Known> _beliefs = new Dictionary<string, Known>(); // by model and player
        private readonly Dictionary<string, Belief> _byPlayer = new Dictionary<string, Belief>();
        private readonly Queue<Notice> _notices = new Queue<Notice>();
        private readonly Dictionary<string, Belief> _news = new Dictionary<string, Belief>();
        private DeliveryCounts _counts = new DeliveryCounts();
        private long _last, _made, _toldDropped;
        private double _time = double.NegativeInfinity;
        private bool _isClosed;

        public Outbox(ClientOptions options)
        {
            if (options.Capacity < 1 || options.Window < 1) throw new ArgumentException("Capacity and Window must be at least 1");
            _options = options;
            _sender = string.IsNullOrEmpty(options.Sender) ? Guid.NewGuid().ToString("N").Substring(0, 12) : options.Sender;
        }

        public DeliveryCounts Counts { get { lock (_lock) return _counts; } }

        // --- what the game says --------------------------------------------------------------------------------------

        public bool Add(string player, string action, IDictionary<string, object> context, double? time, string goal)
        {
            lock (_lock)
            {
                if (_isClosed || _counts.Waiting >= _options.Capacity)
                {
                    _counts.Dropped++;
                    return false;
                }
                var now = time ?? Math.Max(_time, Clock()); // a clock that is put back stands still
                var id = _sender + "-" + (_made + 1);
                var item = new Item { Player = player, Action = action, Id = id, Text = EncodeEvent(player, action, context, now, goal, id) };
                _made++;
                _time = now;
                _counts.Taken++;
                _queue.Enqueue(item);
                return true;
            }
        }

        private static double Clock()
        {
            return (DateTime.UtcNow - new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc)).TotalSeconds;
        }

        private static string EncodeEvent(string player, string action, IDictionary<string, object> context, double time, string goal, string id)
        {
            if (string.IsNullOrEmpty(player)) throw new ArgumentException("player must be a text that is not empty");
            if (string.IsNullOrEmpty(action)) throw new ArgumentException("action must be a text that is not empty");
            var fields = new Dictionary<string, object> { { "action", action }, { "time", time }, { "id", id } };
            if (context != null && context.Count > 0)
            {
                foreach (var fact in context) CheckFact(fact.Key, fact.Value);
                fields["context"] = new Dictionary<string, object>(context);
            }
            if (goal != null) fields["goal"] = goal;
            var text = Json.Write(fields);
            var size = Encoding.UTF8.GetByteCount(text);
            if (size > MaxEventBytes) throw new ArgumentException("an event of " + size + " bytes; at most " + MaxEventBytes + ": send fewer facts");
            return text;
        }

        private static void CheckFact(string name, object value)
        {
            if (value is IEnumerable<string> || value is string || !(value is System.Collections.IEnumerable)) return;
            var items = value as IEnumerable<object>;
            var isTexts = items != null && !(value is System.Collections.IDictionary);
            if (isTexts) foreach (var item in items) isTexts = isTexts && item is string;
            if (!isTexts) throw new ArgumentException("the fact " + name + " must be a number, a text, a list of texts, or yes or no");
        }

        public void Control(string what, string[] players)
        {
            lock (_lock)
            {
                foreach (var player in players)
                {
                    if (what == "subscribe") _wanted.Add(player);
                    else _wanted.Remove(player);
                }
                _controls.Enqueue(ControlMessage(what, players));
            }
        }

        private string ControlMessage(string what, IEnumerable<string> players)
        {
            return Json.Write(new Dictionary<string, object> { { "seq", ++_last }, { what, players } });
        }

        public Belief BeliefAbout(string player, string model)
        {
            lock (_lock)
            {
                Belief found;
                Known known;
                if (model == null) return _byPlayer.TryGetValue(player, out found) ? found : null;
                return _beliefs.TryGetValue(model + "\n" + player, out known) ? known.Belief : null;
            }
        }

        public void Note(Notice notice)
        {
            lock (_lock)
            {
                _notices.Enqueue(notice);
                if (_notices.Count > MaxNotices) _notices.Dequeue();
            }
        }

        public List<Notice> TakeNotices()
        {
            lock (_lock)
            {
                var found = new List<Notice>(_notices);
                if (_counts.Dropped > _toldDropped)
                {
                    found.Add(new Notice { Kind = NoticeKind.Dropped, Count = _counts.Dropped - _toldDropped });
                    _toldDropped = _counts.Dropped;
                }
                foreach (var belief in _news.Values) found.Add(new Notice { Kind = NoticeKind.Belief, Belief = belief });
                _notices.Clear();
                _news.Clear();
                return found;
            }
        }

        public void Close() { lock (_lock) _isClosed = true; }

        // --- what goes over the network ------------------------------------------------------------------------------

        /// <summary>Begin anew: subscriptions first, then all that is not answered, then what waits.</summary>
        public void BeginConnection()
        {
            lock (_lock)
            {
                _sent = 0;
                _next = _unanswered.First;
                _controls.Clear();
                if (_wanted.Count > 0) _controls.Enqueue(ControlMessage("subscribe", _wanted));
            }
        }

        /// <summary>Return the next message to send over this connection, or null if there is none or the window is full.</summary>
        public string NextMessage()
        {
            lock (_lock)
            {
                if (_controls.Count > 0) return _controls.Dequeue();
                if (_next == null)
                {
                    if (_sent >= _options.Window || _queue.Count == 0) return null;
                    _next = _unanswered.AddLast(MakeMessage());
                }
                var text = _next.Value.Text;
                _next = _next.Next;
                _sent++;
                return text;
            }
        }

        private Message MakeMessage()
        {
            var message = new Message { Seq = ++_last };
            var size = 0;
            while (_queue.Count > 0 && message.Count < MaxMessageEvents && size + _queue.Peek().Text.Length < MaxMessageLength)
            {
                var item = _queue.Dequeue();
                List<Item> mine;
                if (!message.Items.TryGetValue(item.Player, out mine)) message.Items[item.Player] = mine = new List<Item>();
                mine.Add(item);
                size += item.Text.Length;
                message.Count++;
            }
            var text = new StringBuilder(size + 200);
            text.Append("{\"seq\":").Append(message.Seq).Append(",\"skip\":true,\"quiet\":").Append(_options.EveryBelief ? "false" : "true");
            if (_options.Model != null) text.Append(",\"model\":").Append(Json.Write(_options.Model));
            text.Append(",\"batch\":[");
            var isFirst = true;
            foreach (var part in message.Items)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                text.Append("{\"player\":").Append(Json.Write(part.Key)).Append(",\"events\":[");
                for (var i = 0; i < part.Value.Count; i++) text.Append(i == 0 ? "" : ",").Append(part.Value[i].Text);
                text.Append("]}");
            }
            message.Text = text.Append("]}").ToString();
            return message;
        }

        /// <summary>Take a message of the service; false if it could not keep events, so that the connection begins anew.</summary>
        public bool Hear(string text)
        {
            var said = (Dictionary<string, object>)Json.Read(text);
            lock (_lock)
            {
                if (said.ContainsKey("news"))
                {
                    foreach (var each in Items(said, "news")) Learn(Belief.From((Dictionary<string, object>)each), _last);
                    return true;
                }
                var ack = (long)(double)said["ack"];
                var problems = new Dictionary<string, Problem>();
                object found;
                if (said.TryGetValue("problems", out found))
                    foreach (var each in (Dictionary<string, object>)found)
                        problems[each.Key] = Problem.From((Dictionary<string, object>)each.Value);
                foreach (var problem in problems.Values)
                    if (problem.Status == 429 || problem.Status == 503) return false; // sent again over the next connection
                if (_sent > 0 && _unanswered.First.Value.Seq == ack)
                {
                    _sent--;
                    var message = _unanswered.First.Value;
                    _unanswered.RemoveFirst();
                    Settle(message, problems, Items(said, "refused"));
                }
                else
                {
                    foreach (var problem in problems.Values) Note(new Notice { Kind = NoticeKind.Problem, Problem = problem });
                }
                foreach (var each in Items(said, "beliefs"))
                {
                    var belief = Belief.From((Dictionary<string, object>)each);
                    Known known;
                    // An answer may come after news of later events; such news was heard while the message was on its way.
                    var isKnown = _beliefs.TryGetValue(belief.Model + "\n" + belief.Player, out known);
                    if (!isKnown || belief.Seq >= known.Belief.Seq || known.HeardAfter < ack) Learn(belief, 0);
                }
                return true;
            }
        }

        private static List<object> Items(Dictionary<string, object> said, string name)
        {
            object found;
            return said.TryGetValue(name, out found) ? (List<object>)found : new List<object>();
        }

        private void Learn(Belief belief, long heardAfter)
        {
            var key = belief.Model + "\n" + belief.Player;
            Known known;
            _beliefs.TryGetValue(key, out known);
            _beliefs[key] = new Known { Belief = belief, HeardAfter = heardAfter };
            _byPlayer[belief.Player] = belief;
            if (belief.IsSame(known.Belief)) return;
            _news.Remove(key);
            if (_options.EveryBelief) Note(new Notice { Kind = NoticeKind.Belief, Belief = belief });
            else _news[key] = belief;
        }

        /// <summary>Count the events of an answered message as acknowledged or refused.</summary>
        private void Settle(Message message, Dictionary<string, Problem> problems, List<object> refused)
        {
            Problem whole, problem, found;
            problems.TryGetValue("", out whole);
            var byId = new Dictionary<string, Problem>();
            foreach (Dictionary<string, object> each in refused)
            {
                object id;
                if (each.TryGetValue("id", out id)) byId[(string)id] = Problem.From((Dictionary<string, object>)each["problem"]);
            }
            foreach (var part in message.Items)
            {
                if (!problems.TryGetValue(part.Key, out problem)) problem = whole;
                var kept = 0;
                foreach (var item in part.Value)
                {
                    if (!byId.TryGetValue(item.Id, out found) && problem != null && kept >= problem.Accepted) found = problem;
                    if (found == null)
                    {
                        kept++;
                        _counts.Acknowledged++;
                        continue;
                    }
                    _counts.Refused++;
                    Note(new Notice
                    {
                        Kind = NoticeKind.Refused,
                        Refused = new RefusedEvent { Player = part.Key, Action = item.Action, Id = item.Id, Problem = found },
                    });
                }
            }
        }
    }
}
