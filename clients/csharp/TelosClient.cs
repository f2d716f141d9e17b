// A client of a Telos service for games in Unity and .NET: Send never waits, and events are told when the game calls Poll.
//
//   var client = new TelosClient("http://127.0.0.1:8700");
//   client.BeliefChanged += belief => Show(belief.Goals);
//   client.Send("ann", "swing", new Dictionary<string, object> { { "monsters", 2 } });
//   ... in Update(): client.Poll();
//
// It needs .NET Standard 2.0 and nothing else. Browsers (Unity's WebGL) have neither threads nor these sockets: use the
// client for JavaScript there.

using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Telos
{
    /// <summary>A client of a service. All methods but Close return at once.</summary>
    public sealed class TelosClient : IDisposable
    {
        private const int AskMilliseconds = 30000;
        private const int OpenMilliseconds = 10000;

        private readonly string _address;
        private readonly ClientOptions _options;
        private readonly Outbox _outbox;
        private readonly CancellationTokenSource _end = new CancellationTokenSource();
        private readonly SemaphoreSlim _wake = new SemaphoreSlim(0);
        private readonly Random _random = new Random();
        private readonly Task _task;
        private volatile bool _connected;
        private volatile bool _hasAnswered;

        /// <summary>A new belief about a player.</summary>
        public event Action<Belief> BeliefChanged;
        /// <summary>The service refused an event; nothing sends it again.</summary>
        public event Action<RefusedEvent> EventRefused;
        /// <summary>So many events were not taken because the queue was full.</summary>
        public event Action<long> EventsDropped;
        /// <summary>The service refused a subscription.</summary>
        public event Action<Problem> SubscriptionRefused;
        /// <summary>The service is there; what was not answered is sent again.</summary>
        public event Action Online;
        /// <summary>The service is not there: why, and after how many seconds the client tries again.</summary>
        public event Action<string, double> Offline;

        public TelosClient(string address, ClientOptions options = null)
        {
            Uri uri;
            if (!Uri.TryCreate(address, UriKind.Absolute, out uri) || !uri.Scheme.StartsWith("http", StringComparison.Ordinal))
                throw new ArgumentException(address + " is no address of a service: write http://HOST:PORT");
            _address = address.TrimEnd('/');
            _options = options ?? new ClientOptions();
            _outbox = new Outbox(_options);
            _task = Task.Run(Run);
        }

        /// <summary>Queue an event; false if the queue is full and the event is dropped. Without a time it has that of the clock.</summary>
        public bool Send(string player, string action, IDictionary<string, object> context = null, double? time = null, string goal = null)
        {
            var taken = _outbox.Add(player, action, context, time, goal);
            Wake();
            return taken;
        }

        /// <summary>Hear about players whoever sends their events; "*" is everybody.</summary>
        public void Subscribe(params string[] players)
        {
            _outbox.Control("subscribe", players);
            Wake();
        }

        public void Unsubscribe(params string[] players)
        {
            _outbox.Control("unsubscribe", players);
            Wake();
        }

        /// <summary>Return the last belief that was heard about a player, or null.</summary>
        public Belief BeliefAbout(string player, string model = null) { return _outbox.BeliefAbout(player, model); }

        public DeliveryCounts Counts => _outbox.Counts;

        public bool IsConnected => _connected;

        /// <summary>Tell the game what has happened since the last call, in the thread that calls; once a frame will do.</summary>
        public void Poll()
        {
            foreach (var notice in _outbox.TakeNotices())
            {
                switch (notice.Kind)
                {
                    case NoticeKind.Belief: BeliefChanged?.Invoke(notice.Belief); break;
                    case NoticeKind.Refused: EventRefused?.Invoke(notice.Refused); break;
                    case NoticeKind.Dropped: EventsDropped?.Invoke(notice.Count); break;
                    case NoticeKind.Problem: SubscriptionRefused?.Invoke(notice.Problem); break;
                    case NoticeKind.Online: Online?.Invoke(); break;
                    default: Offline?.Invoke(notice.Reason, notice.Wait); break;
                }
            }
        }

        /// <summary>Wait until every event is answered, for the end of a game and for tests; false if it took longer.</summary>
        public bool Settle(double seconds = 30)
        {
            var until = DateTime.UtcNow.AddSeconds(seconds);
            while (Counts.Waiting > 0 && DateTime.UtcNow < until) Thread.Sleep(5);
            return Counts.Waiting == 0;
        }

        /// <summary>Send what waits for at most so many seconds, and end; return how many events are not acknowledged.</summary>
        public long Close(double seconds = 2)
        {
            if (!_end.IsCancellationRequested)
            {
                Settle(seconds);
                _outbox.Close();
                _end.Cancel();
                _task.Wait(2000);
            }
            return Counts.Waiting;
        }

        public void Dispose() { Close(0); }

        // --- questions -----------------------------------------------------------------------------------------------

        /// <summary>Ask for a plan. The task may be awaited, or looked at in later frames; a problem is a ServiceException.</summary>
        public Task<Dictionary<string, object>> Plan(IDictionary<string, object> state, string goal, string domain = null, string actions = null)
        {
            var body = new Dictionary<string, object> { { "state", state }, { "goal", goal } };
            if (domain != null) body["domain"] = domain;
            if (actions != null) body["actions"] = actions;
            return Ask("POST", "/v1/plan", body);
        }

        /// <summary>Ask for the action that a character should do now.</summary>
        public Task<Dictionary<string, object>> Choose(IEnumerable<object> actions, IEnumerable<object> goals, string by = "discontentment")
        {
            return Ask("POST", "/v1/choose", new Dictionary<string, object> { { "actions", actions }, { "goals", goals }, { "by", by } });
        }

        /// <summary>Ask what the service knows about a player, with "why".</summary>
        public Task<Dictionary<string, object>> Player(string name, string model = null)
        {
            var query = model == null ? "" : "?model=" + Uri.EscapeDataString(model);
            return Ask("GET", "/v1/players/" + Uri.EscapeDataString(name) + query, null);
        }

        private Task<Dictionary<string, object>> Ask(string method, string path, object body)
        {
            return Task.Run(() => AskNow(method, path, body));
        }

        private Dictionary<string, object> AskNow(string method, string path, object body)
        {
            var request = WebRequest.CreateHttp(_address + path);
            request.Method = method;
            request.Timeout = AskMilliseconds;
            request.ContentType = "application/json";
            if (_options.Token != null) request.Headers["Authorization"] = "Bearer " + _options.Token;
            try
            {
                if (body != null)
                {
                    var data = Encoding.UTF8.GetBytes(Json.Write(body));
                    using (var stream = request.GetRequestStream()) stream.Write(data, 0, data.Length);
                }
                using (var answer = request.GetResponse()) return ReadAnswer(answer);
            }
            catch (WebException error)
            {
                if (error.Response == null)
                    throw new ServiceException(Problem.Of(0, _address + " does not answer: " + error.Message, "ask again later"));
                using (error.Response) throw new ServiceException(ReadProblem((HttpWebResponse)error.Response));
            }
        }

        private static Dictionary<string, object> ReadAnswer(WebResponse answer)
        {
            using (var reader = new StreamReader(answer.GetResponseStream(), Encoding.UTF8))
                return (Dictionary<string, object>)Json.Read(reader.ReadToEnd());
        }

        private static Problem ReadProblem(HttpWebResponse answer)
        {
            try { return Problem.From(ReadAnswer(answer)); }
            catch (Exception error) when (error is FormatException || error is InvalidCastException)
            {
                return Problem.Of((int)answer.StatusCode, "an answer with the status " + (int)answer.StatusCode, "");
            }
        }

        // --- the connection ------------------------------------------------------------------------------------------

        private void Wake()
        {
            if (_wake.CurrentCount == 0) _wake.Release();
        }

        private async Task Run()
        {
            var wait = _options.FirstRetry;
            while (!_end.IsCancellationRequested)
            {
                _hasAnswered = false;
                var isRefused = false;
                string reason;
                using (var socket = new ClientWebSocket())
                {
                    try
                    {
                        reason = await Connect(socket).ConfigureAwait(false);
                    }
                    catch (Exception error) // whatever it is, the client tries again
                    {
                        reason = _address + " does not answer: " + (error.InnerException ?? error).Message;
                    }
                    _connected = false;
                    var code = socket.CloseStatus.HasValue ? (int)socket.CloseStatus.Value : 0;
                    isRefused = code == 4401 || code == 4403; // the token is not admitted: asking at once does not help
                    if (!string.IsNullOrEmpty(socket.CloseStatusDescription)) reason = socket.CloseStatusDescription;
                }
                if (_end.IsCancellationRequested) return;
                if (_hasAnswered) wait = _options.FirstRetry;
                var pause = (isRefused ? _options.LongestRetry : wait) * (0.5 + 0.5 * _random.NextDouble());
                wait = Math.Min(2 * wait, _options.LongestRetry);
                _outbox.Note(new Notice { Kind = NoticeKind.Offline, Reason = reason, Wait = pause });
                try { await Task.Delay(TimeSpan.FromSeconds(pause), _end.Token).ConfigureAwait(false); }
                catch (OperationCanceledException) { return; }
            }
        }

        /// <summary>Hold one connection; return why it ended.</summary>
        private async Task<string> Connect(ClientWebSocket socket)
        {
            socket.Options.AddSubProtocol("telos.json");
            if (_options.Token != null) socket.Options.SetRequestHeader("Authorization", "Bearer " + _options.Token);
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(_end.Token))
            {
                limit.CancelAfter(OpenMilliseconds);
                var uri = new Uri("ws" + _address.Substring(4) + "/v1/stream");
                await socket.ConnectAsync(uri, limit.Token).ConfigureAwait(false);
            }
            _outbox.BeginConnection();
            _connected = true;
            _outbox.Note(new Notice { Kind = NoticeKind.Online });
            using (var broken = CancellationTokenSource.CreateLinkedTokenSource(_end.Token))
            {
                var writing = Write(socket, broken.Token);
                try
                {
                    return await Read(socket).ConfigureAwait(false);
                }
                finally
                {
                    broken.Cancel();
                    try { await writing.ConfigureAwait(false); }
                    catch (Exception) { } // the reader says why the connection ended
                }
            }
        }

        private async Task<string> Read(ClientWebSocket socket)
        {
            var buffer = new ArraySegment<byte>(new byte[65536]);
            using (var data = new MemoryStream())
            {
                while (true)
                {
                    var part = await socket.ReceiveAsync(buffer, _end.Token).ConfigureAwait(false);
                    if (part.MessageType == WebSocketMessageType.Close) return "closed";
                    data.Write(buffer.Array, 0, part.Count);
                    if (!part.EndOfMessage) continue;
                    var text = Encoding.UTF8.GetString(data.ToArray());
                    data.SetLength(0);
                    _hasAnswered = true;
                    if (!_outbox.Hear(text)) return "the service cannot keep events now";
                    Wake();
                }
            }
        }

        private async Task Write(ClientWebSocket socket, CancellationToken ending)
        {
            while (true)
            {
                for (var text = _outbox.NextMessage(); text != null; text = _outbox.NextMessage())
                {
                    var data = new ArraySegment<byte>(Encoding.UTF8.GetBytes(text));
                    await socket.SendAsync(data, WebSocketMessageType.Text, true, ending).ConfigureAwait(false);
                }
                await _wake.WaitAsync(ending).ConfigureAwait(false);
            }
        }
    }
}
