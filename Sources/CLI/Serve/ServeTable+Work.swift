import Easel
import EaselService

/// The settings of load, and of what an operator sees of the server.
extension ServeTable {
  static let load: [ServeSetting] = [
    .optional(
      .load, .live,
      .integer(
        "workers", "N", in: 1...1024,
        "How many pictures are worked on at a time. The default is the number of processors."),
      \.workers),
    .optional(
      .load, .live,
      .integer(
        "avif-workers", "N", in: 1...1024, "How many of them may be encoded as AVIF. The default is half of them."),
      \.avifWorkers),
    .one(
      .load, .restart, .integer("threads", "N", in: 1...64, "How many threads read requests and send answers."),
      \.listener.threads, default: "1"),
    .one(
      .load, .live, limit("request-timeout", "The time in which a request must be answered."), \.requestTime,
      default: "30"),
    .one(
      .load, .live,
      limit(
        "decode-time",
        "The longest time for decoding a picture, for each change of it and for its encoding, at most half of "
          + "request-timeout. What takes longer is refused for a minute."),
      \.decodeTime, default: "10"),
    .one(
      .load, .live,
      limit(
        "patience",
        "Refuse at once what could not be made within this time because of other work, as estimated; serve all else."),
      \.patience, default: "10"),
    .optional(
      .load, .live, limit("queue-time", "The former name of patience."), \.given.queueTime),
    .one(
      .load, .live, .integer("queue-length", "N", in: 0...1_000_000, "How many pictures may wait."), \.queueLength,
      default: "1000"),
    .optional(
      .load, .live,
      .reading(
        "client-header", "NAME", "the name of a header field such as X-Client-ID",
        "Share the work evenly among the values of this field, which a proxy must set, and not among addresses."
      ) { ServeReading.fieldName($0) }, \.clientHeader),
    .optional(
      .load, .live,
      .integer(
        "client-rate", "N", in: 1...1_000_000,
        "How many requests a second one client may send, told by client-header or its address; more get 429."),
      \.clientRate),
    .optional(
      .load, .live,
      .integer(
        "client-burst", "N", in: 1...1_000_000,
        "How many of them it may send at once after a pause. The default is twice client-rate."), \.clientBurst),
    .one(
      .load, .live, .integer("connections", "N", in: 1...1_000_000, "How many connections may be open."),
      \.listener.connections, default: "8192"),
    .optional(
      .load, .live,
      .integer("connections-per-address", "N", in: 1...1_000_000, "How many of them may come from one address."),
      \.listener.connectionsPerAddress),
    .one(
      .load, .live, limit("idle-timeout", "The time for which a connection may wait for its next request."),
      \.listener.idleTime, default: "60"),
    .one(
      .load, .live,
      .time("drain-delay", "The time between saying at /ready that the server ends and refusing connections."),
      \.drainDelay, default: "5"),
    .one(
      .load, .live, .time("drain-time", "The time that requests get to end after that."), \.drainTime, default: "30"),
  ]

  static let watching: [ServeSetting] = [
    .one(
      .watching, .live, .choice("log", "FORM", "Write a line for each request to standard error."), \.log,
      default: "text"),
    .one(
      .watching, .live,
      .choice(
        "log-level", "LEVEL",
        "Log all requests (info), those that failed (warning), or those in which the server or a source failed (error)."
      ), \.logLevel, default: "info"),
    .optional(
      .watching, .restart,
      .reading(
        "traces", "URL", "an http or https address such as http://127.0.0.1:4318",
        "Send traces to this collector, in the form of OTLP over HTTP with JSON; without a path to /v1/traces there."
      ) { ServeTraces.address($0) == nil ? nil : $0 }, \.traces),
    .one(
      .watching, .live,
      .number(
        "trace-ratio", "R", in: 0...1, "a number from 0 to 1",
        "The part of the requests that is traced. One whose traceparent says that it is recorded is traced always."),
      \.traceRatio, default: "0.01"),
    .flag(
      .watching, .live, "log-urls", "Log paths and sources too, without signatures, queries and credentials.",
      \.logsURLs),
    .flag(
      .watching, .live, "debug", "Send details of errors, and fields that tell how a picture was made.", \.showsDetails),
    .flag(.watching, .live, "playground", "Serve a page to try URLs out.", \.hasPlayground),
    .optional(
      .watching, .live,
      secret("playground-secret", "TEXT", "The secret that the page asks for. Use --playground-secret-file instead."),
      \.playgroundSecret, isSecret: true),
    .optional(
      .watching, .live,
      file("playground-secret-file", "FILE", "Read the secret of the page from the first line of a file."),
      \.given.playgroundSecretFile),
  ]
}
