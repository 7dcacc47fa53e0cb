"""NumPy's integers wherever Python's are taken: positions, axes, counts and shapes."""
import numpy as np
import pytest

import dynamo_lite as dl
from tests.oracle import Tolerance, differences, outcome

G, H, K = np.int64(2), np.int8(-1), np.intp(1)
EXPRESSIONS = """
y[K:G]; y[:, ::G]; y[H]; y.reshape(H, np.int64(3)); y.reshape((G*0-1,))
np.zeros(np.int64(3))+y[0]; np.roll(y,np.int64(1)); np.roll(y,G,axis=np.int64(0))
y.sum(axis=np.int64(0)); y.sum(axis=(np.int64(0),np.int8(1)))
np.repeat(y,np.int64(2),axis=np.int64(0)); np.tile(y,np.int64(2)); np.tile(y,(np.int64(2),1))
np.broadcast_to(y,(np.int64(2),x.shape[0],np.int8(3))); np.expand_dims(y,np.int64(0))
np.moveaxis(y,np.int64(0),np.int64(1)); np.transpose(y,(np.int64(1),np.int64(0)))
np.concatenate([y,y],axis=np.int64(1)); np.stack([y,y],axis=np.int64(-1)); np.pad(y,np.int64(1))
np.pad(y,((np.int64(1),0),(0,np.int64(2)))); np.diff(y,n=np.int64(1)); np.diff(y,axis=np.int64(0))
np.cumsum(y,axis=np.int64(0)); np.sort(y,axis=np.int64(0))
np.take(y,np.int64(1),axis=np.int64(1)); np.arange(np.int64(3)); np.arange(np.int64(0),x.shape[0])
np.linspace(0,1,np.int64(5)); np.eye(np.int64(3)); np.full((np.int64(2),),1.0)
np.flip(y,np.int64(0)); np.rot90(y,np.int64(1)); np.split(y[:2],np.int64(2))
np.array_split(y,np.int64(2)); np.tril(y,np.int64(1)); np.diag(y[0],np.int64(1))
np.diagonal(y,np.int64(0)); np.trace(y,np.int64(1)); np.squeeze(y[None],np.int64(0))
np.swapaxes(y,np.int64(0),np.int64(1)); np.var(y,ddof=np.int64(1))
np.std(y,axis=np.int64(1),ddof=np.int8(1)); np.round(y,np.int64(1))
np.clip(y,np.int64(1),np.int64(3)); np.quantile(y,0.5,axis=np.int64(0))
np.gradient(y,axis=np.int64(0)); np.vander(y[0],np.int64(2)); np.fft.fft(y,np.int64(4))
np.fft.fft(y,axis=np.int64(0)); np.argmax(y,axis=np.int64(0)); np.argsort(y,axis=np.int64(0))
np.unique(y,axis=np.int64(0)); np.delete(y,np.int64(0),axis=np.int64(0))
np.insert(y,np.int64(0),0,axis=np.int64(0)); np.partition(y,np.int64(1),axis=np.int64(1))
np.ones((np.int64(2),x.shape[0])); np.indices((np.int64(2),2))
y[np.int64(0):x.shape[0]:np.int64(2)]; y[x.shape[0]-np.int64(1)]; y[int(G)-2]
[y,y*2][np.int64(1)]; y[np.int64(0),:np.int64(2)]; list(range(np.int64(3)))
y*len(range(np.int64(4))); np.linalg.norm(y,axis=np.int64(0)); np.linalg.norm(y,np.int64(1))
np.percentile(y,np.int64(50)); np.histogram(y,np.int64(3))[0]
np.bincount(np.array([1,2]),minlength=np.int64(5)); np.convolve(y[0],y[0])
np.meshgrid(y[0],np.int64(3))[0]; np.where(y>np.int64(2),np.int64(1),y); np.kron(y,np.int64(2))
np.polyval(y[0],np.int64(2)); np.power(y,np.int64(2)); y**np.int64(2); y**np.int8(2)
np.ldexp(y,np.int64(1)); np.left_shift(y.astype(int),np.int64(1)); np.hsplit(y,np.int64(3))
np.resize(y,(np.int64(2),np.int64(2))); np.apply_along_axis(sum,np.int64(0),y)
np.nansum(y,axis=np.int64(0)); np.count_nonzero(y,axis=np.int64(0)); np.all(y,axis=np.int64(0))
np.ptp(y,np.int64(0)); np.median(y,axis=np.int64(0)); np.average(y,axis=np.int64(0))
np.cross(y,y,axis=np.int64(1)); np.tensordot(y,y.T,axes=np.int64(1))
np.einsum('ij->i',y)*np.int64(2)
np.lib.stride_tricks.sliding_window_view(y,np.int64(2),axis=np.int64(0)); np.identity(np.int64(2))
np.tri(np.int64(3),np.int64(2)); np.nan_to_num(y,nan=np.int64(0))
np.searchsorted(y[:,0],np.int64(4)); np.interp(np.int64(1),y[0],y[0])
np.digitize(np.int64(4),y[:,0]); np.ravel_multi_index((np.int64(1),np.int64(1)),(3,3))
np.unravel_index(np.int64(4),(3,3))
""".replace("\n", ";").split(";")  # fmt: skip


@pytest.mark.parametrize("expression", [e.strip() for e in EXPRESSIONS if e.strip()])
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.filterwarnings("ignore")
def test_they_are_taken_as_in_numpy(expression, dynamic):
    names = dict(globals())
    exec(f"def answer(x, y):\n    return np.linspace(0, 1, x.shape[0]), {expression}\n", names)
    compiled = dl.compile(names["answer"], dynamic=dynamic)
    for n in (5, 3, 7):
        given = [(np.ones(n), np.arange(3.0 * n).reshape(n, 3)) for _ in range(2)]
        expected, found = outcome(names["answer"], given[0]), outcome(compiled, given[1])
        assert not differences(found, expected, Tolerance(1e-13, 1e-13))
