package action

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The test value of `azure-scheduler.md` §8, which Microsoft's own client gives too.
func TestSharedAccessSignature(t *testing.T) {
	got := sharedAccess("https://mysbnamespace.servicebus.windows.net/q1", "QPolicy", "c2VjcmV0a2V5", time.Unix(1893456000, 0))
	require.Equal(t, "SharedAccessSignature sr=https%3a%2f%2fmysbnamespace.servicebus.windows.net%2fq1&sig=e4RKucQJpF9tzKWKH1OzplPSQ%2B8HkIaA6vRwpesTr7o%3D&se=1893456000&skn=QPolicy", got)
	require.Equal(t, "e4RKucQJpF9tzKWKH1OzplPSQ%2B8HkIaA6vRwpesTr7o%3D", signatureOf(got))
}

// However a text is cut into writes, what is shown is the text with its secrets masked.
func TestMaskHidesSecretsAcrossWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var shown strings.Builder
		m := mask{to: &shown}
		m.hide("hunter22", "abcabcabd", "short")
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"hunter22", "abcabcabd", "abcabc", "hunter", "2", "short", "x", "\n"})).Draw(t, "text"), "")
		want := strings.NewReplacer("hunter22", "***", "abcabcabd", "***").Replace(text)
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			_, err := io.WriteString(&m, rest[:n])
			require.NoError(t, err)
			rest = rest[n:]
		}
		m.flush()
		require.Equal(t, want, shown.String())
	})
}
