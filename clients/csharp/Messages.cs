// What a client tells the game.

using System;
using System.Collections.Generic;

namespace Telos
{
    /// <summary>The belief about a player after the event with the number Seq, as the service counts them.</summary>
    public sealed class Belief
    {
        public string Player { get; internal set; }
        public string Model { get; internal set; }
        public long Seq { get; internal set; }
        public double? Time { get; internal set; }
        /// <summary>The most probable goal.</summary>
        public string Top { get; internal set; }
        public IReadOnlyDictionary<string, double> Goals { get; internal set; }
        /// <summary>The event had been counted before; it was sent again after a broken connection.</summary>
        public bool Repeated { get; internal set; }

        internal static Belief From(Dictionary<string, object> said)
        {
            var goals = new Dictionary<string, double>();
            foreach (var goal in (Dictionary<string, object>)said["goals"]) goals[goal.Key] = (double)goal.Value;
            object repeated;
            return new Belief
            {
                Player = (string)said["player"], Model = (string)said["model"], Seq = (long)(double)said["seq"],
                Time = (double?)said["time"], Top = (string)said["top"], Goals = goals,
                Repeated = said.TryGetValue("repeated", out repeated) && true.Equals(repeated),
            };
        }

        internal bool IsSame(Belief other)
        {
            if (other == null || other.Seq != Seq || other.Goals.Count != Goals.Count) return false;
            foreach (var goal in Goals)
            {
                double chance;
                if (!other.Goals.TryGetValue(goal.Key, out chance) || !chance.Equals(goal.Value)) return false;
            }
            return true;
        }
    }

    /// <summary>A problem document (RFC 9457): what is wrong, and what to do about it.</summary>
    public sealed class Problem
    {
        public string Type { get; internal set; }
        public int Status { get; internal set; }
        public string Detail { get; internal set; }
        public string Remedy { get; internal set; }
        /// <summary>So many events before the fault are kept.</summary>
        public int Accepted { get; internal set; }
        /// <summary>All of the document.</summary>
        public IReadOnlyDictionary<string, object> Document { get; internal set; }

        internal static Problem From(Dictionary<string, object> said)
        {
            return new Problem
            {
                Type = Text(said, "type"), Status = Number(said, "status"), Detail = Text(said, "detail"),
                Remedy = Text(said, "remedy"), Accepted = Number(said, "accepted"), Document = said,
            };
        }

        internal static Problem Of(int status, string detail, string remedy)
        {
            return From(new Dictionary<string, object>
            {
                { "type", "telos:unavailable" }, { "status", (double)status }, { "detail", detail }, { "remedy", remedy },
            });
        }

        private static string Text(Dictionary<string, object> said, string name)
        {
            object found;
            return said.TryGetValue(name, out found) ? found as string ?? "" : "";
        }

        private static int Number(Dictionary<string, object> said, string name)
        {
            object found;
            return said.TryGetValue(name, out found) && found is double ? (int)(double)found : 0;
        }

        public override string ToString() { return Remedy.Length == 0 ? Detail : Detail + "; " + Remedy; }
    }

    /// <summary>Thrown by questions; the status of the problem is 0 if the service does not answer.</summary>
    public sealed class ServiceException : Exception
    {
        public Problem Problem { get; }

        public ServiceException(Problem problem) : base(problem.ToString()) { Problem = problem; }
    }

    /// <summary>An event that the service refused; nothing sends it again.</summary>
    public sealed class RefusedEvent
    {
        public string Player { get; internal set; }
        public string Action { get; internal set; }
        public string Id { get; internal set; }
        public Problem Problem { get; internal set; }
    }

    /// <summary>What became of all events: Taken = Waiting + Acknowledged + Refused; dropped ones were never taken.</summary>
    public struct DeliveryCounts
    {
        public long Taken;
        public long Acknowledged;
        public long Refused;
        public long Dropped;
        public long Waiting => Taken - Acknowledged - Refused;
    }

    /// <summary>Settings of a client; all have a default.</summary>
    public sealed class ClientOptions
    {
        public string Token;
        /// <summary>The model that reads the events; the first of the service, if null.</summary>
        public string Model;
        /// <summary>How many events may wait for an acknowledgement; further ones are dropped, and told.</summary>
        public int Capacity = 10000;
        /// <summary>How many messages may be unanswered at a time.</summary>
        public int Window = 16;
        /// <summary>Hear the belief after each event, and not only the last of each message.</summary>
        public bool EveryBelief;
        /// <summary>The first part of event ids; random, if null.</summary>
        public string Sender;
        /// <summary>Seconds before a connection is tried again: the first pause, and the longest.</summary>
        public double FirstRetry = 0.25;
        public double LongestRetry = 15;
    }
}
