// A small reader and writer of JSON: objects become dictionaries, lists become lists, numbers become double.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Telos
{
    /// <summary>Reads and writes JSON, with nothing but the base class library.</summary>
    public static class Json
    {
        private const int MaxDepth = 64;

        /// <summary>Return the value of a text: null, bool, double, string, a list or a dictionary.</summary>
        public static object Read(string text)
        {
            var place = 0;
            var found = ReadValue(text, ref place, 0);
            SkipBlanks(text, ref place);
            if (place != text.Length) throw Fault(text, place);
            return found;
        }

        /// <summary>Return a value as JSON; numbers keep every digit.</summary>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            WriteValue(text, value, 0);
            return text.ToString();
        }

        /// <summary>Write a value; throws ArgumentException if JSON has no such value.</summary>
        public static void WriteValue(StringBuilder text, object value, int depth)
        {
            if (depth > MaxDepth) throw new ArgumentException("a value that is nested too deeply");
            if (value == null) text.Append("null");
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is string) WriteText(text, (string)value);
            else if (value is float || value is double) WriteNumber(text, Convert.ToDouble(value, CultureInfo.InvariantCulture));
            else if (value is decimal || (value.GetType().IsPrimitive && !(value is char)))
                text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            else if (value is IDictionary) WriteFields(text, (IDictionary)value, depth);
            else if (value is IEnumerable) WriteItems(text, (IEnumerable)value, depth);
            else throw new ArgumentException("JSON has no " + value.GetType().Name);
        }

        private static void WriteNumber(StringBuilder text, double number)
        {
            if (double.IsNaN(number) || double.IsInfinity(number)) throw new ArgumentException("a number must be finite");
            text.Append(number.ToString("R", CultureInfo.InvariantCulture));
        }

        private static void WriteFields(StringBuilder text, IDictionary fields, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (DictionaryEntry field in fields)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                WriteText(text, (string)field.Key);
                text.Append(':');
                WriteValue(text, field.Value, depth + 1);
            }
            text.Append('}');
        }

        private static void WriteItems(StringBuilder text, IEnumerable items, int depth)
        {
            text.Append('[');
            var isFirst = true;
            foreach (var item in items)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                WriteValue(text, item, depth + 1);
            }
            text.Append(']');
        }

        private static void WriteText(StringBuilder text, string said)
        {
            text.Append('"');
            for (var i = 0; i < said.Length; i++)
            {
                var each = said[i];
                var isPair = char.IsHighSurrogate(each) && i + 1 < said.Length && char.IsLowSurrogate(said[i + 1]);
                if (each == '"' || each == '\\') text.Append('\\').Append(each);
                else if (isPair) { text.Append(each).Append(said[i + 1]); i++; }
                else if (each < ' ' || char.IsSurrogate(each)) text.Append("\\u").Append(((int)each).ToString("x4"));
                else text.Append(each);
            }
            text.Append('"');
        }

        private static object ReadValue(string text, ref int place, int depth)
        {
            SkipBlanks(text, ref place);
            if (place >= text.Length || depth > MaxDepth) throw Fault(text, place);
            switch (text[place])
            {
                case '{': return ReadFields(text, ref place, depth);
                case '[': return ReadItems(text, ref place, depth);
                case '"': return ReadText(text, ref place);
                case 't': Expect(text, ref place, "true"); return true;
                case 'f': Expect(text, ref place, "false"); return false;
                case 'n': Expect(text, ref place, "null"); return null;
                default: return ReadNumber(text, ref place);
            }
        }

        private static Dictionary<string, object> ReadFields(string text, ref int place, int depth)
        {
            var found = new Dictionary<string, object>();
            place++;
            SkipBlanks(text, ref place);
            if (Skip(text, ref place, '}')) return found;
            while (true)
            {
                SkipBlanks(text, ref place);
                if (place >= text.Length || text[place] != '"') throw Fault(text, place);
                var name = ReadText(text, ref place);
                SkipBlanks(text, ref place);
                if (!Skip(text, ref place, ':')) throw Fault(text, place);
                found[name] = ReadValue(text, ref place, depth + 1);
                SkipBlanks(text, ref place);
                if (Skip(text, ref place, '}')) return found;
                if (!Skip(text, ref place, ',')) throw Fault(text, place);
            }
        }

        private static List<object> ReadItems(string text, ref int place, int depth)
        {
            var found = new List<object>();
            place++;
            SkipBlanks(text, ref place);
            if (Skip(text, ref place, ']')) return found;
            while (true)
            {
                found.Add(ReadValue(text, ref place, depth + 1));
                SkipBlanks(text, ref place);
                if (Skip(text, ref place, ']')) return found;
                if (!Skip(text, ref place, ',')) throw Fault(text, place);
            }
        }

        private static string ReadText(string text, ref int place)
        {
            var found = new StringBuilder();
            for (place++; place < text.Length; place++)
            {
                var each = text[place];
                if (each == '"') { place++; return found.ToString(); }
                if (each < ' ') break;
                if (each != '\\') { found.Append(each); continue; }
                if (++place >= text.Length) break;
                var known = "\"\\/bfnrt".IndexOf(text[place]);
                int code;
                if (known >= 0) found.Append("\"\\/\b\f\n\r\t"[known]);
                else if (text[place] == 'u' && place + 4 < text.Length && int.TryParse(
                    text.Substring(place + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                {
                    found.Append((char)code);
                    place += 4;
                }
                else break;
            }
            throw Fault(text, place);
        }

        private static object ReadNumber(string text, ref int place)
        {
            var start = place;
            while (place < text.Length && "+-.eE0123456789".IndexOf(text[place]) >= 0) place++;
            double number;
            var said = text.Substring(start, place - start);
            if (!double.TryParse(said, NumberStyles.Float, CultureInfo.InvariantCulture, out number)) throw Fault(text, start);
            return number;
        }

        private static void SkipBlanks(string text, ref int place)
        {
            while (place < text.Length && " \t\r\n".IndexOf(text[place]) >= 0) place++;
        }

        private static bool Skip(string text, ref int place, char wanted)
        {
            if (place >= text.Length || text[place] != wanted) return false;
            place++;
            return true;
        }

        private static void Expect(string text, ref int place, string word)
        {
            if (string.CompareOrdinal(text, place, word, 0, word.Length) != 0) throw Fault(text, place);
            place += word.Length;
        }

        private static FormatException Fault(string text, int place)
        {
            return new FormatException("this is no JSON at character " + place + " of " + text.Length);
        }
    }
}
