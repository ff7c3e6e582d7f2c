import Easel
import EaselListener
import EaselService
import EaselSupport

/// The settings of `easel serve`, checked.
struct ServeSettings: Hashable, Sendable {
  enum LogForm: String, CaseIterable, Sendable { case text, json, off }

  // Addresses.
  var listen = [ServeAddress.tcp(host: "127.0.0.1", port: 8080)]
  var metrics: ServeAddress?
  /// Without a slash at its end; empty for none.
  var pathPrefix = ""
  var trustedProxies: [AddressRange] = []
  var allowedOrigin: String?
  /// The scheme and host that documents name; nil for the `Host` of the request.
  var publicOrigin: String?

  // Signatures. An empty list means that URLs are not signed.
  var keys: [SigningKey] = []
  var signatureSize = 32
  var isUnsafe = false
  /// The key of encrypted sources, nil for none.
  var sourceKey: SigningKey?
  var urls = [ServedURLs(.imgproxy)]

  /// The ways in which the URLs of the forms that can have signatures are signed, in the order of the forms.
  var signing: [URLSigner.Grammar] {
    var signing: [URLSigner.Grammar] = []
    for grammar in urls.compactMap(\.form.signing) where !signing.contains(grammar) { signing.append(grammar) }
    return signing
  }

  /// The signer of URLs of a grammar.
  func signer(_ grammar: URLSigner.Grammar) -> URLSigner {
    URLSigner(
      keys.filter { $0.grammar == grammar }.map { URLSigner.Key(key: $0.key, salt: $0.salt) }, grammar: grammar,
      size: signatureSize)
  }

  // Sources.
  var folder: String?
  /// Patterns such as `https://*.example.com/pictures`; none allows every http(s) source.
  var allowedSources: [String] = []
  var allowsPrivateAddresses = false
  /// The places that the file of sources describes.
  var sources: [ServeSource] = []
  var sourceBytes = 100_000_000
  var sourcePixels = 100_000_000
  var sandbox = SandboxUse(scope: .all)

  // Caches.
  /// Nil for a cache in memory only.
  var cacheFolder: String?
  var cacheBytes = 10_000_000_000
  var memoryBytes = 256_000_000
  var memoryLimit = MemoryLimit.automatic
  /// The plan that follows from the limit of memory; nil without a limit.
  var memoryPlan: MemoryPlan?
  /// The stores that other machines use too.
  var shared: [SharedAddress] = []
  var sharedTime = Duration.milliseconds(100)
  /// The time for which the server relies on what it knows of purges.
  var purgeLease = Duration.seconds(1)
  var whenCutOff = PurgeLedger.CutOff.serve

  // Results.
  var presets: [ServePreset] = []
  var onlyPresets = false
  /// Nil for all options.
  var allowedOptions: [String]?
  /// The widths and qualities of URLs whose form has no signatures; nil for those of the form.
  var allowedWidths: Set<Int>?
  var allowedQualities: Set<Int>?
  /// From 0 to 1.
  var quality = 0.8
  var qualityScale = QualityScale.looks
  var formatQualities: [ImageFormat: Double] = [:]
  /// The formats that `Accept` chooses from, the preferred one first.
  var negotiatedFormats: [ImageFormat] = []
  var encoding = ServeEncoding()
  var avif = AVIFChoice()
  var fidelity = Fidelity.faithful
  var resultSide = 16_384
  var reducesResults = false
  var resultPixels = 100_000_000
  var usesClientHints = false
  var keepsMetadata = false
  var damaged = DamagePolicy.whole
  var fallbackImage: String?
  var fallbackStatus = 200
  var watermarkImage: String?

  // Freshness.
  var timeToLive = Duration.seconds(365 * 86_400)
  var staleWhileRevalidate = Duration.seconds(86_400)
  var staleIfError = Duration.seconds(7 * 86_400)
  var fallbackTimeToLive = Duration.seconds(60)
  var followsOriginFreshness = false
  var sendsCanonicalLink = false

  // Load.
  /// Nil for as many as there are processors.
  var workers: Int?
  var avifWorkers: Int?
  var requestTime = Duration.seconds(30)
  /// The longest time for one step of work on a picture.
  var decodeTime = Duration.seconds(10)
  /// The time in which a picture must be made, or else is refused at once because of other work.
  var patience = Duration.seconds(10)
  var queueLength = 1000
  /// The field that names the client; nil for its address.
  var clientHeader: String?
  /// The requests a second that one client may send; nil for any number.
  var clientRate: Int?
  /// The requests that it may send at once; nil for twice the rate.
  var clientBurst: Int?
  var listener = ListenerSettings()
  var drainDelay = Duration.seconds(5)
  var drainTime = Duration.seconds(30)

  // Logs and trying out.
  var log = LogForm.text
  var logLevel = RequestLog.Level.info
  var logsURLs = false
  /// The collector of traces; nil for none.
  var traces: String?
  /// The part of the requests without a trace of their own that is recorded, from 0 to 1.
  var traceRatio = 0.01
  var showsDetails = false
  var hasPlayground = false
  var playgroundSecret: Secret?

  /// The limits of admission that follow from the settings.
  var admission: AdmissionSettings {
    var settings = AdmissionSettings(processors: workers ?? CPUBudget.processors)
    if let avifWorkers { settings.avifPlaces = min(avifWorkers, settings.places) }
    settings.queueLength = queueLength
    settings.patience = patience
    return settings
  }

  /// The settings of the listener, with the method of requests to purge.
  var listening: ListenerSettings {
    var settings = listener
    settings.head.methods.append("POST")
    return settings
  }

  // Values as they were given, before what belongs together was put together.
  var given = Given()

  struct Given: Hashable, Sendable {
    var keys: [Secret] = []
    var salts: [Secret] = []
    var keyFile: String?
    var sourceKey: Secret?
    var shared: [String] = []
    /// The patience under the name that it had in version 1.0.
    var queueTime: Duration?
    var presetsFile: String?
    var sourcesFile: String?
    var playgroundSecretFile: String?
  }
}
