import Easel
import EaselAzure
import EaselS3
import EaselService

/// A place of sources, and how they are loaded from there.
struct ServeSource: Hashable, Sendable {
  /// A field that each request to the source has.
  struct Field: Hashable, Sendable {
    let name: String
    let value: Secret
    /// True for a value that may change without another picture: one from a file, which is a credential.
    let isCredential: Bool
  }

  let place: SourcePlace
  var fields: [Field] = []
  /// The names of the fields of clients that go on to the source.
  var passed: [String] = []
  var userAgent: String?
  /// True if the source may be at a private address.
  var allowsPrivateAddresses = false
  /// The folder behind a name.
  var folder: String?
  var bucket = Bucket()
  var account = Account()

  /// What buckets of S3 and of Google need.
  struct Bucket: Hashable, Sendable {
    var region: String?
    var endpoint: String?
    var addressing: S3Configuration.Addressing?
    var credentials = S3CredentialSource.automatic
  }

  /// What containers of Azure need.
  struct Account: Hashable, Sendable {
    var name = ""
    var endpoint: String?
    var credential = AzureCredential.anonymous
  }

  init(_ place: SourcePlace) { self.place = place }
}
