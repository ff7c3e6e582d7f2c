import EaselCore
import Testing

struct ImageFormatTests {
  @Test(arguments: [
    ("image/png", "image/png"), ("IMAGE/PNG", "image/png"), (" image/png ", "image/png"),
    ("image/png;charset=x", "image/png"), ("image/png ; a;b", "image/png"), ("\timage/png\t", "image/png"),
    ("", ""), (";", ""), ("   ", ""), ("image/png;\u{301}x", "image/png"), ("x/y z", "x/y z"),
  ])
  func theTypeIsBareAndLowerCase(text: String, mimeType: String) {
    #expect(ImageFormat(mimeType: text).mimeType == mimeType)
    #expect("\(ImageFormat(mimeType: text))" == mimeType)
  }

  @Test func formatsAreEqualByType() {
    #expect(ImageFormat(mimeType: "Image/PNG; q=1") == .png)
    #expect(Set([ImageFormat.png, .jpeg, .gif, .webp, .avif]).count == 5)
  }
}
