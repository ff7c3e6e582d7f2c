import Easel
import EaselS3
import Foundation
import Testing

@testable import EaselCLI
@testable import EaselService

/// The file that describes sources.
struct ServeSourcesFileTests {
  private func bench(_ text: String, _ files: [String: String] = [:]) -> ServeBench {
    ServeBench(
      words: ["--unsafe", "--sources-file", "sources"], files: files.merging(["sources": text]) { $1 },
      folders: ["/srv/photos"])
  }

  @Test func eachKindOfPlaceIsRead() throws {
    let sources = try bench(
      """
      # A comment
      [local://photos]
      folder = /srv/photos
      [s3://pictures/public]
      region = eu-central-1
      endpoint = http://minio:9000
      addressing = host
      credentials-file = keys
      profile = other
      [gs://pictures]
      anonymous = yes
      [azure://pictures]
      account = example
      sas-file = sas
      [https://*.example.com/a]
      field = X-Tenant: 7
      field-file = Authorization: token
      pass = Cookie, X-Group
      pass = Accept-Language
      user-agent = pictures/1.0
      allow-private = true
      [davs://files.example.com]
      user = easel
      password-file = password
      """,
      [
        "keys": "[other]\naws_access_key_id = a\naws_secret_access_key = b\n", "sas": "?sv=1&sig=x\n",
        "token": "Bearer secret\n", "password": "opensesame\n",
      ]
    ).settings().sources
    #expect(sources.map(\.place.kind) == [.local, .s3, .gs, .azure, .https, .davs])
    #expect(sources[0].folder == "/srv/photos")
    #expect(sources[1].bucket.credentials == .fixed(S3Credentials(accessKeyID: "a", secretAccessKey: "b")))
    #expect(sources[1].bucket.addressing == .host && sources[1].bucket.region == "eu-central-1")
    #expect(sources[2].bucket.credentials == .anonymous)
    #expect(sources[3].account.name == "example" && sources[3].account.credential != .anonymous)
    #expect(sources[4].fields.map(\.name) == ["X-Tenant", "Authorization"])
    #expect(sources[4].fields.map(\.isCredential) == [false, true] && sources[4].allowsPrivateAddresses)
    #expect(sources[4].passed == ["Cookie", "X-Group", "Accept-Language"])
    #expect(sources[5].fields.map(\.value.text) == ["Basic ZWFzZWw6b3BlbnNlc2FtZQ=="])
    #expect(!"\(sources)".contains("secret") && !"\(sources)".contains("ZWFzZWw6"))
  }

  @Test(arguments: [
    ("a = b", "sources, line 1: the file begins with a place in brackets"),
    ("[ftp://host]", "line 1: 'ftp://host' is no pattern of sources."),
    ("[s3://bucket", "line 1: a place ends with a bracket"),
    ("[s3://bucket]\nregion", "line 2: the line is no setting."),
    ("[s3://bucket]\nfolder = /a", "line 2: sources of s3 have no setting 'folder', but region, endpoint"),
    ("[s3://bucket]\nregion = a\nregion = b", "line 3: region is given twice."),
    ("[s3://bucket]\n[s3://bucket]", "line 2: s3://bucket is described twice."),
    ("[s3://bucket]\nendpoint = minio:9000", "endpoint needs an address such as http://minio:9000, not 'minio:9000'."),
    ("[s3://bucket]\naddressing = x", "addressing is host or path, not 'x'."),
    ("[s3://bucket]\ncredentials-file = none", "none cannot be read"),
    ("[s3://bucket]\ncredentials-file = empty", "empty has no section [default] with aws_access_key_id"),
    ("[s3://bucket]\nanonymous = x", "anonymous is true or false, not 'x'."),
    ("[s3://bucket]\nanonymous = true\ncredentials-file = empty", "Leave one of both out."),
    ("[gs://bucket]", "needs a credentials-file with HMAC keys, or anonymous = true."),
    ("[azure://box]\nkey-file = empty", "needs the account to which it belongs."),
    ("[azure://box]\naccount = a", "give one of key-file, sas-file and anonymous = true."),
    ("[azure://box]\naccount = a\nkey-file = empty", "The first line of empty is empty."),
    ("[azure://box]\naccount = a\nkey-file = word", "the first line of word is no key of Azure"),
    ("[azure://box]\naccount = a\nsas-file = word", "the first line of word is no shared access signature"),
    ("[local://photos]\nfolder = /none", "folder needs a directory that can be read, not '/none'."),
    ("[local://photos/a]\nfolder = /srv/photos", "a folder has a name in small letters and no path"),
    ("[https://host]\nfield = X", "field needs the name of a field, a colon and its value."),
    ("[https://host]\nfield = Host: other", "field needs the name of a field"),
    ("[https://host]\npass = Range", "pass needs names of fields"),
    ("[https://host]\nuser = a", "user and password-file belong together."),
    ("[https://host]\nuser = a:b\npassword-file = word", "the name of a user has no colon."),
  ])
  func mistakesAreNamed(_ text: String, _ message: String) {
    let mistakes = bench(text, ["empty": "", "word": "a word!"]).mistakes()
    #expect(mistakes.contains { $0.contains(message) }, "\(mistakes)")
  }

  /// No message shows what stands in a file of secrets.
  @Test func noMistakeShowsASecret() {
    let text = "[azure://box]\naccount = a\nkey-file = secret\n[azure://box2]\naccount = a\nsas-file = secret"
    let mistakes = bench(text, ["secret": "geheim!"]).mistakes()
    #expect(mistakes.count == 2 && !mistakes.joined().contains("geheim"))
  }

  @Test func placesAreAllowedAndNothingElse() throws {
    let places = try ["s3://b/pub", "local://photos", "dav://h:8080/a", "https://other.org"].map { try SourcePlace($0) }
    let rules = try SourceRules(allowing: ["https://host"], folder: false, places: places)
    for source in [
      "s3://b/pub/a b?.png", "local://photos/ü.png", "dav://h:8080/a/b%20c", "https://other.org/x", "https://host/y",
    ] {
      #expect(throws: Never.self, "\(source)") { try rules.url(of: source) }
    }
    for source in [
      "s3://b/secret", "s3://b/pub/../secret", "s3://c/pub/a", "local:///a", "local://other/a", "local://photos/../a",
      "dav://h:8080/b", "dav://u@h:8080/a/b", "davs://h:8080/a/b", "gs://b/pub/a", "https://third.org/x", "s3://b",
    ] {
      #expect(throws: ServiceError.self, "\(source)") { try rules.url(of: source) }
    }
    #expect(try rules.url(of: "s3://b/pub/a b?.png").absoluteString == "s3://b/pub/a%20b%3F.png")
  }

  /// Another password brings the same pictures, and another tenant does not.
  @Test func credentialsDoNotChangeKeys() throws {
    func identity(_ lines: String, _ token: String) throws -> CacheIdentity {
      let source = try #require(bench("[https://host]\n\(lines)", ["token": token]).settings().sources.first)
      return try source.loader(CurlLoader.Configuration()).cacheIdentity
    }
    let lines = "field = X-Tenant: 7\nfield-file = Authorization: token"
    #expect(try identity(lines, "a") == identity(lines, "b"))
    #expect(try identity(lines, "a") != identity("field = X-Tenant: 8\nfield-file = Authorization: token", "a"))
    #expect(try identity("user-agent = x", "") == .plain)
  }

  @Test func endsOfLoadsAreToldApart() {
    func outcome(_ code: ImageError.Code, _ status: Int? = nil) -> SourceHealth.Outcome? {
      SourceHealth.Outcome(
        ImageError(code, "x", response: status.map { ResponseHead(url: nil, status: $0) }))
    }
    #expect(outcome(.badStatus, 404) == .missing && outcome(.badStatus, 403) == .denied)
    #expect(outcome(.badStatus, 503) == .failed && outcome(.timedOut) == .failed && outcome(.network) == .failed)
    #expect(outcome(.limitExceeded) == nil && SourceHealth.Outcome(CancellationError()) == nil)
  }

  @Test func healthFollowsTheSettings() {
    let all = SourceHealths()
    all.follow(["a", "b"])
    all["a"]?.note(.loaded)
    all["a"]?.note(.denied)
    all["a"]?.note(.failed)
    #expect(all["a"]?.isUp == false && all["a"]?.failuresInARow == 2)
    all.follow(["c", "a"])
    #expect(all["b"] == nil && all["a"]?.count(.denied) == 1 && all["c"]?.isUp == true)
    all["a"]?.note(.missing)
    #expect(all["a"]?.isUp == true && all["a"]?.failuresInARow == 0)
  }
}
